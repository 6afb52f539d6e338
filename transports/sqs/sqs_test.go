package sqs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/transporttest"
)

// server is the address of a server with the API of SQS for tests, such as fauxqs.
const server = "127.0.0.1:4566"

func TestStandard(t *testing.T) { transporttest.Run(t, start("")) }

func TestFIFO(t *testing.T) { transporttest.Run(t, start(fifo)) }

// start returns functions that create a queue and a queue for its dead letters.
func start(suffix string) func(*testing.T) transporttest.Place {
	return func(t *testing.T) transporttest.Place {
		conn, err := net.DialTimeout("tcp", server, time.Second)
		if err != nil {
			t.Skipf("no server for SQS at %s: %v", server, err)
		}
		conn.Close()
		t.Setenv("AWS_ACCESS_KEY_ID", "test")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
		t.Setenv("AWS_REGION", "us-east-1")
		name := fmt.Sprintf("test-%016x", rand.Uint64())
		q := &queue{client: client(t)}
		dead := create(t, q.client, name+"-dead"+suffix, nil)
		policy, err := json.Marshal(map[string]string{"deadLetterTargetArn": attribute(t, q.client, dead, "QueueArn"), "maxReceiveCount": "100"})
		if err != nil {
			t.Fatal(err)
		}
		address, err := url.Parse(create(t, q.client, name+suffix, map[string]string{"RedrivePolicy": string(policy)}))
		if err != nil {
			t.Fatal(err)
		}
		address.Scheme, address.Host = "sqs", server
		o := transport.Options{Lease: time.Second}
		consume := func(t *testing.T) *consumer {
			c, err := Consume(t.Context(), address, o)
			if err != nil {
				t.Fatal(err)
			}
			return c.(*consumer)
		}
		return transporttest.Place{
			Publisher: func(t *testing.T) transport.Publisher {
				p, err := Publish(t.Context(), address, o)
				if err != nil {
					t.Fatal(err)
				}
				return p
			},
			Consumer: func(t *testing.T) transport.Consumer { return consume(t) },
			Kill: func(t *testing.T) {
				c := consume(t)
				if _, err := c.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
				c.stop() // like a dead process, it does not renew its lease
			},
			DeadLetters: func(t *testing.T) (bodies [][]byte) {
				out, err := q.client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &dead, MaxNumberOfMessages: most})
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range out.Messages {
					bodies = append(bodies, []byte(*m.Body))
				}
				return bodies
			},
			Limit: 1 << 20,
		}
	}
}

func client(*testing.T) *sqs.Client {
	base := "http://" + server
	return sqs.New(sqs.Options{BaseEndpoint: &base, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")})
}

func create(t *testing.T, c *sqs.Client, name string, attributes map[string]string) string {
	if strings.HasSuffix(name, fifo) {
		if attributes == nil {
			attributes = map[string]string{}
		}
		attributes["FifoQueue"] = "true"
	}
	out, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(*out.QueueUrl)
	if err != nil {
		t.Fatal(err)
	}
	address.Host = server
	made := address.String()
	t.Cleanup(func() {
		if _, err := c.DeleteQueue(context.Background(), &sqs.DeleteQueueInput{QueueUrl: &made}); err != nil {
			t.Error(err)
		}
	})
	return made
}

func attribute(t *testing.T, c *sqs.Client, queue string, name types.QueueAttributeName) string {
	out, err := c.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: &queue, AttributeNames: []types.QueueAttributeName{name}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Attributes[string(name)]
}

// FuzzEncode checks that any body is sent as a text that the server accepts, and is received unchanged.
func FuzzEncode(f *testing.F) {
	f.Add([]byte(`{"a": 1}`))
	f.Add([]byte{})
	f.Add([]byte("\x00\xff"))
	f.Add([]byte("\uFFFE"))
	f.Fuzz(func(t *testing.T, body []byte) {
		text, attributes := encode(&transport.Message{Key: "k", Body: body})
		if !isText([]byte(text)) {
			t.Errorf("SQS does not take %q", text)
		}
		m, err := decode(types.Message{Body: &text, MessageAttributes: attributes})
		if err != nil || m.Key != "k" || !bytes.Equal(m.Body, body) {
			t.Errorf("%q came back as %+v (%v)", body, m, err)
		}
	})
}

// TestCheck checks that an impossible address is rejected without a server.
func TestCheck(t *testing.T) {
	for address, want := range map[string]string{
		"sqs://h/123/handoffs":      "",
		"sqs://h/123/handoffs.fifo": "",
		"sqs://h":                   "not the address of a queue",
		"sqs://h/123":               "not the address of a queue",
		"sqs://h/123/a/b":           "not the address of a queue",
		"sqs:///123/a":              "not the address of a queue",
		"sqs://h/123/a.b":           "cannot be the name of a queue",
		"sqs://h/123/.fifo":         "cannot be the name of a queue",
		"sqs://h/123/a%20b":         "cannot be the name of a queue",
		"sqs://h/123/" + strings.Repeat("a", maxName+1): "cannot be the name of a queue",
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(u); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// TestAnsweredAgain checks that a FIFO queue confirms a dropped copy like the first message, for five minutes.
func TestAnsweredAgain(t *testing.T) {
	q, now := &queue{}, time.Now()
	if q.again("a", now) || q.again("b", now) || !q.again("a", now.Add(time.Minute)) {
		t.Error("the second answer with an id is not known, or the first one is")
	}
	for i := range 5000 {
		q.again(fmt.Sprint(i), now.Add(time.Duration(i)*time.Second))
	}
	if len(q.sent) > 2500 {
		t.Errorf("%d answers are kept", len(q.sent))
	}
}

// TestWithoutID checks that messages without an ID in a FIFO queue are not copies of each other.
func TestWithoutID(t *testing.T) {
	p := start(fifo)(t)
	publisher, consumer := p.Publisher(t), p.Consumer(t)
	defer consumer.Close()
	for _, body := range []string{"a", "b"} {
		if r, err := publisher.Publish(t.Context(), transport.Message{Body: []byte(body)}); err != nil || r.Duplicate {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	for _, body := range []string{"a", "b"} {
		d := transporttest.Next(t, consumer)
		if got := string(d.Message().Body); got != body {
			t.Errorf("got %q, want %q", got, body)
		}
		if err := d.Ack(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
