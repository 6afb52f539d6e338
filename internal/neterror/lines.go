package neterror

import (
	"context"
	"log/slog"
)

// Lines is a handler that passes the log of net/http to a function, line by line; nil discards it.
type Lines func(line string)

// Enabled implements [slog.Handler].
func (l Lines) Enabled(context.Context, slog.Level) bool { return l != nil }

// Handle implements [slog.Handler].
func (l Lines) Handle(_ context.Context, r slog.Record) error {
	l(r.Message)
	return nil
}

// WithAttrs implements [slog.Handler].
func (l Lines) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements [slog.Handler].
func (l Lines) WithGroup(string) slog.Handler { return l }
