package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// callback is the HTTP server to which a browser returns after a login. Only this machine reaches
// it.
type callback struct {
	address string
	server  *http.Server
	answers chan url.Values
}

func newCallback(port int) (*callback, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("the browser cannot come back from the login: %w", err)
	}
	b := &callback{address: "http://" + listener.Addr().String() + "/callback", answers: make(chan url.Values, 1)}
	const patience = 10 * time.Second
	b.server = &http.Server{Handler: http.HandlerFunc(b.serve), ReadHeaderTimeout: patience}
	go func() { _ = b.server.Serve(listener) }()
	return b, nil
}

func (b *callback) serve(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if r.URL.Path != "/callback" || query.Get("state") == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "You can close this page and go back to the terminal.")
	select {
	case b.answers <- query:
	default: // there is an answer already
	}
}

// wait opens an address for the person and returns the answer of the authority. The browser brings
// the answer, or the person pastes it.
func (b *callback) wait(ctx context.Context, address string, open Opener) (url.Values, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		returned, err := open(ctx, address)
		if err == nil && returned != "" {
			var at *url.URL
			if at, err = url.Parse(strings.TrimSpace(returned)); err == nil && at.Query().Get("state") == "" {
				err = errors.New("this is not the address at which the browser ended up: it has no state")
			}
			if err == nil {
				select {
				case b.answers <- at.Query():
				default:
				}
			}
		}
		failed <- err
	}()
	for {
		select {
		case answer := <-b.answers:
			return answer, nil
		case err := <-failed:
			if err != nil {
				return nil, err
			}
			failed = nil // the browser returns by itself
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (b *callback) close() { _ = b.server.Close() }
