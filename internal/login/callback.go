package login

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// An Opener opens an address for a user. It returns the address at which the browser ended up if
// the user has pasted it, or "" if the browser returns by itself.
type Opener func(ctx context.Context, address string) (returned string, err error)

// A Callback is the server to which a browser returns after a login. Only this machine reaches it.
type Callback struct {
	// Address is where the browser returns.
	Address string

	server  *http.Server
	host    string
	answers chan url.Values

	mu       sync.Mutex
	state    string
	answered bool
}

// NewCallback starts a server at a port, 0 for a free one.
func NewCallback(port int) (*Callback, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("can't receive the login from the browser: %w", err)
	}
	host := listener.Addr().String()
	b := &Callback{Address: "http://" + host + "/callback", host: host, answers: make(chan url.Values, 1)}
	const patience = 10 * time.Second
	b.server = &http.Server{Handler: http.HandlerFunc(b.serve), ReadHeaderTimeout: patience}
	go func() { _ = b.server.Serve(listener) }()
	return b, nil
}

// serve takes the first answer of the login that is awaited. A page of another site may send any
// number of others.
func (b *Callback) serve(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	state := query.Get("state")
	if r.URL.Path != "/callback" || state == "" {
		http.NotFound(w, r)
		return
	}
	b.mu.Lock()
	theirs := r.Host == b.host && (b.state == "" || subtle.ConstantTimeCompare([]byte(state), []byte(b.state)) == 1)
	taken := theirs && !b.answered
	b.answered = b.answered || taken
	b.mu.Unlock()
	if !taken {
		http.Error(w, "no login is waiting for this answer", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "Close this page and return to the terminal.")
	b.answers <- query
}

// Wait opens an address for the user and returns the answer of the authority, which comes from
// the browser or is pasted. An answer of the browser must have the state; the caller checks that of
// a pasted one. It opens no address but one of the web: a server chooses where its login is, and the
// system would hand any other to the program that it is for.
func (b *Callback) Wait(ctx context.Context, address, state string, open Opener) (url.Values, error) {
	page, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if page.Host == "" || page.Scheme != "https" && page.Scheme != "http" {
		return nil, fmt.Errorf("invalid login address %s://%s: not http or https", page.Scheme, page.Host)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.mu.Lock()
	b.state, b.answered = state, false
	b.mu.Unlock()
	pasted, failed := make(chan url.Values, 1), make(chan error, 1)
	go func() {
		returned, err := open(ctx, address)
		if err == nil && returned != "" {
			var at *url.URL
			if at, err = url.Parse(strings.TrimSpace(returned)); err == nil && at.Query().Get("state") == "" {
				err = errors.New("the pasted address has no state. Copy the last address from the browser")
			}
			if err == nil {
				pasted <- at.Query()
				return
			}
		}
		failed <- err
	}()
	for {
		select {
		case answer := <-b.answers:
			return answer, nil
		case answer := <-pasted:
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

// Close ends the server, once the browser has its page.
func (b *Callback) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if b.server.Shutdown(ctx) != nil {
		_ = b.server.Close()
	}
}
