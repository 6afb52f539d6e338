#!/bin/sh
# Package:  github.com/ThreeDotsLabs/watermill-amqp/v3 v3.0.2 (Go), DefaultMarshaler, with RabbitMQ on 127.0.0.1
#           (user guest)
# Guess:    a message that watermill published is read from the queue of the dead letters as from the first one. A
#           header that is no text, as RabbitMQ and other clients write it, is converted or left out.
# Observed: Unmarshal fails for the x-death that RabbitMQ adds, which is a list, and for a number, so that no subscriber
#           ever gets such a message. From the first queue it is read.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/ThreeDotsLabs/watermill-amqp/v3@v3.0.2 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/ThreeDotsLabs/watermill-amqp/v3/pkg/amqp"
	"github.com/ThreeDotsLabs/watermill/message"
	amqp091 "github.com/rabbitmq/amqp091-go"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	connection, err := amqp091.Dial("amqp://guest:guest@127.0.0.1:5672/")
	if err != nil {
		fmt.Println("no RabbitMQ on 127.0.0.1:5672")
		os.Exit(0)
	}
	defer connection.Close()
	channel, err := connection.Channel()
	check(err)
	dead, err := channel.QueueDeclare("", false, true, true, false, nil)
	check(err)
	first, err := channel.QueueDeclare("", false, true, true, false, amqp091.Table{"x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead.Name})
	check(err)
	letters, err := channel.Consume(dead.Name, "", false, true, false, false, nil)
	check(err)
	deliveries, err := channel.Consume(first.Name, "", false, true, false, false, nil)
	check(err)
	read := func(queue string, delivery amqp091.Delivery) {
		var marshaler amqp.DefaultMarshaler
		received, err := marshaler.Unmarshal(delivery)
		if err != nil {
			cause, _, _ := strings.Cut(err.Error(), ", but")
			fmt.Println(queue, "error:", cause)
			return
		}
		fmt.Println(queue, "read:", string(received.Payload), received.Metadata["agent"])
	}
	sent := message.NewMessage("1", []byte("refund order 17"))
	sent.Metadata["agent"] = "clerk"
	publishing, err := amqp.DefaultMarshaler{}.Marshal(sent)
	check(err)
	check(channel.Publish("", first.Name, false, false, publishing))
	delivery := <-deliveries
	read("first queue", delivery)
	check(delivery.Nack(false, false))
	delivery = <-letters
	fmt.Printf("x-death: %T\n", delivery.Headers["x-death"])
	read("dead letters", delivery)
	check(channel.Publish("", first.Name, false, false, amqp091.Publishing{Body: []byte("refund order 18"), Headers: amqp091.Table{"attempt": 2}}))
	read("a number as a header", <-deliveries)
}
GO
go run . >observed 2>log || { cat log && exit 1; }
! grep -q "no RabbitMQ" observed || { cat observed && exit 77; }
cat observed
cat >expected <<'TEXT'
first queue read: refund order 17 clerk
x-death: []interface {}
dead letters error: metadata x-death is not a string
a number as a header error: metadata attempt is not a string
TEXT
diff expected observed
