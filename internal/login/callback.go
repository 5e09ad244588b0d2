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

// An Opener opens an address for a user. It returns the address at which the browser ended up if the
// user has pasted it. It returns "" if the browser will call the Callback.
type Opener func(ctx context.Context, address string) (returned string, err error)

// A Callback is the server to which a browser returns after a login. It is reachable only from this
// machine.
type Callback struct {
	// Address is the address to which the browser returns.
	Address string

	server  *http.Server
	host    string
	answers chan url.Values

	mu       sync.Mutex
	state    string
	answered bool
}

// NewCallback starts a server at a port. 0 means a free port.
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

// serve accepts the first answer of the expected login. A page of another site may send any number of
// other requests.
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

// Wait opens an address for the user and returns the answer of the authorization server. The answer
// comes from the browser or is pasted. An answer from the browser must have the state. The caller
// checks the state of a pasted answer. Wait opens only http and https addresses. A server chooses the
// address of its login, and the system would start other programs for other schemes.
func (b *Callback) Wait(ctx context.Context, address, state string, open Opener) (url.Values, error) {
	page, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if page.Host == "" || page.Scheme != "https" && page.Scheme != "http" {
		return nil, fmt.Errorf("invalid login address %s://%s: it is not http or https", page.Scheme, page.Host)
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
				err = errors.New("the pasted address has no parameter state. Copy the address that the browser shows after the login")
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
			failed = nil // the browser will call the server
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Close ends the server after the browser has received its page.
func (b *Callback) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if b.server.Shutdown(ctx) != nil {
		_ = b.server.Close()
	}
}
