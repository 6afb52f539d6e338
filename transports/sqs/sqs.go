// Package sqs carries messages through a queue of Amazon SQS, or of a server with the same API: it
// implements [transport.Publisher] and [transport.Consumer].
//
// An address is sqs://HOST/ACCOUNT/QUEUE, as in
// sqs://sqs.eu-west-1.amazonaws.com/123456789012/handoffs: the queue's URL with another scheme.
// Region and credentials come from the usual sources of the AWS SDK, the region from the host if
// that contains one. HTTP is used for a host on this machine, HTTPS for any other.
//
// The queue must exist. Answers go to standard queues QUEUE-answers-SENDER, which are created if
// missing. Dead letters go to the queue in the redrive policy; without one they are deleted, since
// the audit log has them.
package sqs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/webclient"
)

// fifo is the suffix of the names of queues that keep messages in order.
const fifo = ".fifo"

// A queue is a queue of a server.
type queue struct {
	client *sqs.Client
	url    string
	name   string
	limit  int64  // maximum bytes of a message with its attributes
	dead   string // URL of the dead-letter queue, "" for none
	// replies caches the queues for answers, by sender: *queue.
	replies sync.Map

	mu   sync.Mutex
	sent map[string]time.Time // the times at which a FIFO queue returned a MessageId, for as long as it drops copies
}

// window is the time for which a FIFO queue drops copies of a message.
const window = 5 * time.Minute

// again records that the queue has returned the id of a message, and reports whether it returned it
// before: for a dropped copy it returns the id of the first one.
func (q *queue) again(id string, now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.sent)%1024 == 0 {
		maps.DeleteFunc(q.sent, func(_ string, at time.Time) bool { return now.Sub(at) > window })
	}
	_, again := q.sent[id]
	if q.sent == nil {
		q.sent = map[string]time.Time{}
	}
	q.sent[id] = now
	return again
}

// Publish opens a queue for sending.
func Publish(ctx context.Context, u *url.URL, _ transport.Options) (transport.Publisher, error) {
	q, err := open(ctx, u)
	if err != nil {
		return nil, err
	}
	return &publisher{queue: q}, nil
}

// Consume opens a queue for receiving.
func Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	q, err := open(ctx, u)
	if err != nil {
		return nil, err
	}
	return newConsumer(q, o), nil
}

// Check returns an error if the address cannot be a queue's.
func Check(u *url.URL) error {
	_, _, err := parse(u)
	return err
}

func parse(u *url.URL) (account, name string, err error) {
	account, name, ok := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if !ok || u.Host == "" || account == "" || name == "" || strings.Contains(name, "/") {
		return "", "", errors.New("it is not the address of a queue: write it as sqs://HOST/ACCOUNT/QUEUE")
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	if base := strings.TrimSuffix(name, fifo); base == "" || strings.Trim(base, letters) != "" || len(name) > maxName {
		return "", "", fmt.Errorf("%q cannot be the name of a queue: use 1 to %d letters, digits, - and _, optionally followed by %s", name, maxName, fifo)
	}
	return account, name, nil
}

// open finds a queue and its attributes.
func open(ctx context.Context, u *url.URL) (*queue, error) {
	account, name, err := parse(u)
	if err != nil {
		return nil, err
	}
	settings, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, plain(err)
	}
	settings.Region = cmp.Or(regionOf(u.Hostname()), settings.Region, "us-east-1")
	scheme := "https"
	if isLocal(u.Hostname()) {
		scheme = "http"
	}
	base := scheme + "://" + u.Host
	q := &queue{
		client: sqs.NewFromConfig(settings, func(o *sqs.Options) {
			o.BaseEndpoint = &base
			o.HTTPClient = webclient.New(webclient.Options{}) // the SDK's client follows redirects to any host
		}),
		url: base + "/" + account + "/" + name, name: name,
	}
	return q, q.describe(ctx)
}

// regionOf returns the region in the name of a host of Amazon, "" for other hosts.
func regionOf(host string) string {
	parts := strings.Split(host, ".")
	if len(parts) < 4 || parts[0] != "sqs" || parts[2] != "amazonaws" {
		return ""
	}
	return parts[1]
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// describe asks the server for the limit of the queue and for its dead-letter queue.
func (q *queue) describe(ctx context.Context) error {
	out, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &q.url, AttributeNames: []types.QueueAttributeName{"All"}})
	if err != nil {
		return plain(err)
	}
	if q.limit, err = strconv.ParseInt(out.Attributes["MaximumMessageSize"], 10, 64); err != nil {
		return fmt.Errorf("the queue %s has no MaximumMessageSize", q.name)
	}
	target := deadLetterQueue(out.Attributes["RedrivePolicy"])
	if target == "" {
		return nil
	}
	found, err := q.client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &target})
	if err != nil {
		return fmt.Errorf("the dead-letter queue %s: %w", target, plain(err))
	}
	q.dead = q.at(*found.QueueUrl)
	return nil
}

// at returns the URL of another queue with the server's address as used here, since the server may
// know itself by another name.
func (q *queue) at(other string) string {
	ours, err := url.Parse(q.url)
	theirs, otherErr := url.Parse(other)
	if err != nil || otherErr != nil {
		return other
	}
	theirs.Scheme, theirs.Host = ours.Scheme, ours.Host
	return theirs.String()
}

// answers returns the queue of the answers for a sender, and creates it if it is missing.
func (q *queue) answers(ctx context.Context, sender string) (*queue, error) {
	if !transport.IsName(sender) {
		return nil, fmt.Errorf("%q cannot be the name of a sender", sender)
	}
	if known, ok := q.replies.Load(sender); ok {
		return known.(*queue), nil
	}
	name := answersName(q.name, sender)
	retention := map[string]string{"MessageRetentionPeriod": strconv.Itoa(14 * 24 * 60 * 60)} // seconds, the maximum
	out, err := q.client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name, Attributes: retention})
	if err != nil {
		return nil, fmt.Errorf("the queue %s for answers: %w", name, plain(err))
	}
	found := &queue{client: q.client, url: q.at(*out.QueueUrl), name: name, limit: q.limit}
	q.replies.Store(sender, found)
	return found, nil
}

// maxName is the maximum length of a queue's name.
const maxName = 80

func answersName(queue, sender string) string {
	name := strings.TrimSuffix(queue, fifo) + "-answers-" + sender
	if len(name) > maxName {
		name = "answers-" + digest(name)[:maxName-len("answers-")-16]
	}
	return name
}

// send puts a message into the queue. known reports that this process has put it there before, and
// that the queue has dropped this copy.
func (q *queue) send(ctx context.Context, m transport.Message) (known bool, err error) {
	text, attributes := encode(&m)
	size := int64(len(text))
	for name, a := range attributes {
		size += int64(len(name) + len(*a.DataType) + len(aws.ToString(a.StringValue)))
	}
	if size > q.limit {
		return false, &transport.TooLargeError{Size: size, Limit: q.limit}
	}
	in := &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: &text, MessageAttributes: attributes}
	if strings.HasSuffix(q.name, fifo) {
		in.MessageGroupId = aws.String(digest(cmp.Or(m.Group, m.Key, m.ID)))
		in.MessageDeduplicationId = aws.String(digest(cmp.Or(m.ID, rand.Text()))) // a message without an ID is never a copy
	}
	out, err := q.client.SendMessage(ctx, in)
	if err != nil || in.MessageDeduplicationId == nil {
		return false, plain(err)
	}
	return q.again(aws.ToString(out.MessageId), time.Now()), nil
}

type publisher struct{ *queue }

func (p *publisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	known, err := p.send(ctx, m)
	return transport.Receipt{Duplicate: known}, err
}

func (p *publisher) Answers(ctx context.Context, replyTo string) (transport.Consumer, error) {
	q, err := p.answers(ctx, replyTo)
	if err != nil {
		return nil, err
	}
	return newConsumer(q, transport.Options{}), nil
}

func (*publisher) Close() error { return nil }

// plain returns a readable form of an error of the SDK, as a [*transport.PermanentError] if a retry
// would not help.
func plain(err error) error {
	var e smithy.APIError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		said := fmt.Errorf("%s: %s", strings.TrimPrefix(e.ErrorCode(), "AWS.SimpleQueueService."), e.ErrorMessage())
		if e.ErrorFault() == smithy.FaultClient && !strings.Contains(e.ErrorCode(), "Throttl") && !strings.Contains(e.ErrorCode(), "Expired") {
			return &transport.PermanentError{Err: said}
		}
		return said
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		if e := (*net.OpError)(nil); errors.As(err, &e) {
			return e
		}
		err = inner
	}
	return err
}

// visibility returns a time in SQS's form: whole seconds, at most 12 hours.
func visibility(d time.Duration) int32 {
	return int32(min(max((d+time.Second-1)/time.Second, 0), 12*60*60))
}
