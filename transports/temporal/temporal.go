// Package temporal carries messages as signals of Temporal workflows: it implements
// [transport.Publisher], [transport.Asker] and [transport.Consumer], and provides the workflow and
// the activity for existing workers ([Register]).
//
// An address is temporal://HOST:PORT/NAMESPACE/WORKFLOW?signal=NAME&queue=NAME. WORKFLOW is the type
// of the workflow that is started for each handoff and gets the message as a signal (signal with
// start); its id is WORKFLOW/KEY. The default name of the signal is handoff, and the default task
// queue has the name of the workflow. TLS, API keys and certificates come from the configuration of
// Temporal's own programs (TEMPORAL_… and temporal.toml).
//
// The workflow runs an activity for each message, in which a receiver accepts it. A sender reads the
// answer from the workflow's history, even if no worker runs.
package temporal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/url"
	"strings"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"

	"github.com/eaapl/handoff/relay/transport"
)

// A place is a type of workflow on a server.
type place struct {
	client client.Client
	Names
}

// Names are the names on which a sender and a worker agree.
type Names struct {
	Workflow  string // type of the workflow
	Signal    string // carries a message
	TaskQueue string // its workers run the workflow and the activity
}

// Publish connects to a server for sending.
func Publish(ctx context.Context, u *url.URL, _ transport.Options) (transport.Publisher, error) {
	p, err := dial(ctx, u)
	if err != nil {
		return nil, err
	}
	return publisher{p}, nil
}

// Consume connects to a server, and runs a worker for the workflow and the activity.
func Consume(ctx context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	p, err := dial(ctx, u)
	if err != nil {
		return nil, err
	}
	return newConsumer(p, o.WithDefaults())
}

// Check returns an error if the address cannot be a workflow's.
func Check(u *url.URL) error {
	_, _, err := parse(u)
	return err
}

func parse(u *url.URL) (namespace string, names Names, err error) {
	namespace, workflow, ok := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if !ok || u.Host == "" || namespace == "" || workflow == "" || strings.Contains(workflow, "/") {
		return "", names, errors.New("it is not the address of a workflow: write it as temporal://HOST:PORT/NAMESPACE/WORKFLOW")
	}
	names = Names{Workflow: workflow, Signal: "handoff", TaskQueue: workflow}
	for name, values := range u.Query() {
		switch name {
		case "signal":
			names.Signal = values[0]
		case "queue":
			names.TaskQueue = values[0]
		default:
			return "", names, errors.New("the address has an unknown parameter: use signal and queue")
		}
	}
	return namespace, names, nil
}

func dial(ctx context.Context, u *url.URL) (place, error) {
	namespace, names, err := parse(u)
	if err != nil {
		return place{}, err
	}
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return place{}, err
	}
	options.HostPort, options.Namespace, options.Logger = u.Host, namespace, errorLog{}
	c, err := client.DialContext(ctx, options)
	if err != nil {
		return place{}, plain(err)
	}
	return place{c, names}, nil
}

// errorLog passes errors to the default logger, which writes them to standard error, and drops the
// SDK's other messages.
type errorLog struct{}

func (errorLog) Debug(string, ...any)                {}
func (errorLog) Info(string, ...any)                 {}
func (errorLog) Warn(string, ...any)                 {}
func (errorLog) Error(message string, values ...any) { slog.Error(message, values...) }

// id returns the id of the workflow for a key. The SDK sends it as a header, which only takes
// printable ASCII, and a server takes 1000 bytes.
func (p place) id(key string) string {
	if len(key) > 200 || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		sum := sha256.Sum256([]byte(key))
		key = hex.EncodeToString(sum[:])
	}
	return p.Workflow + "/" + key
}

// maxSignal is the maximum length of a signal with a server's default settings (its
// limit.blobSize.error).
const maxSignal = 2 << 20

// signal sends a message to the workflow of a key, and starts the workflow if it does not run.
func (p place) signal(ctx context.Context, key, name string, m transport.Message) error {
	text := encode(&m)
	if len(text) > maxSignal {
		return &transport.TooLargeError{Size: int64(len(text)), Limit: maxSignal}
	}
	_, err := p.client.SignalWithStartWorkflow(ctx, p.id(key), name, text, client.StartWorkflowOptions{TaskQueue: p.TaskQueue}, p.Workflow)
	return plain(err)
}

// key returns the part of a message that names its workflow.
func key(m *transport.Message) string {
	if m.Key != "" {
		return m.Key
	}
	return m.ID
}

type publisher struct{ place }

func (p publisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	return transport.Receipt{}, p.signal(ctx, key(&m), p.Signal, m)
}

func (publisher) Answers(context.Context, string) (transport.Consumer, error) {
	return nil, transport.ErrNoAnswers
}

// Ask implements [transport.Asker]: it reads the workflow's history, which has every answer even if
// no worker runs.
func (p publisher) Ask(ctx context.Context, key string) (*transport.Message, error) {
	var newest *common.Payloads
	events := p.client.GetWorkflowHistory(ctx, p.id(key), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if errors.As(err, new(*serviceerror.NotFound)) {
			return nil, nil
		}
		if err != nil {
			return nil, plain(err)
		}
		signal := event.GetWorkflowExecutionSignaledEventAttributes()
		switch {
		case event.GetActivityTaskCompletedEventAttributes().GetResult() != nil:
			newest = event.GetActivityTaskCompletedEventAttributes().GetResult()
		case signal.GetSignalName() == answerSignal:
			newest = signal.GetInput()
		}
	}
	var text []byte
	if err := converter.GetDefaultDataConverter().FromPayloads(newest, &text); err != nil || len(text) == 0 {
		return nil, err
	}
	m := decode(text)
	return &m, nil
}

func (p publisher) Close() error {
	p.client.Close()
	return nil
}

// encode writes a message as its headers, one per line, an empty line, and its body.
func encode(m *transport.Message) []byte {
	var text bytes.Buffer
	for _, h := range m.Headers() {
		text.WriteString(h.Name + ": " + h.Value + "\n")
	}
	text.WriteByte('\n')
	text.Write(m.Body)
	return text.Bytes()
}

// decode decodes the output of encode. Other bytes are only a body.
func decode(text []byte) (m transport.Message) {
	rest := text
	for {
		line, after, ok := bytes.Cut(rest, []byte("\n"))
		if ok && len(line) == 0 {
			m.Body = after
			return m
		}
		name, value, isHeader := bytes.Cut(line, []byte(": "))
		if !ok || !isHeader {
			return transport.Message{Body: text}
		}
		m.SetHeader(string(name), string(value))
		rest = after
	}
}

// plain returns an error of the SDK as a [*transport.PermanentError] if a retry would not help.
func plain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*serviceerror.NamespaceNotFound)), errors.As(err, new(*serviceerror.InvalidArgument)), errors.As(err, new(*serviceerror.PermissionDenied)):
		return &transport.PermanentError{Err: err}
	}
	return err
}
