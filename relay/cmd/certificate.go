package cmd

import (
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/regular"
	"github.com/eaapl/handoff/internal/term"
)

// certificateFlags name the certificate of an HTTPS server.
type certificateFlags struct{ certificate, key string }

func (f *certificateFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.certificate, "tls-cert", "", "certificate for https, with its chain, a PEM `FILE`")
	c.Flags().StringVar(&f.key, "tls-key", "", "private key of the certificate, a PEM `FILE`")
}

func (f *certificateFlags) check() error {
	if (f.certificate == "") != (f.key == "") {
		return errors.New("--tls-cert and --tls-key: name both")
	}
	return nil
}

// load returns the TLS configuration, nil if no certificate is named.
func (f *certificateFlags) load() (*tls.Config, error) {
	if f.certificate == "" {
		return nil, nil
	}
	certificate, err := regular.ReadFileOrPipe(f.certificate)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert %s: %w", term.Visible(f.certificate), term.PlainError(err))
	}
	key, err := regular.ReadFileOrPipe(f.key)
	if err != nil {
		return nil, fmt.Errorf("--tls-key %s: %w", term.Visible(f.key), term.PlainError(err))
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert %s: %w", term.Visible(f.certificate), err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}, nil
}
