package login

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/llm"
)

// Limits of a program that prints a token.
const (
	commandTime = 30 * time.Second
	maxPrinted  = 64 << 10
	maxKey      = 16 << 10
	// early is how long before its expiry a token counts as expired.
	early = time.Minute
)

// A Runner runs a command to its end, and returns its output. most limits the output in bytes. Errors
// do not contain output. complaint is the beginning of its standard error.
type Runner func(ctx context.Context, line string, most int) (printed []byte, complaint string, err error)

// CommandSources contains the sources of the commands of a process, so that all its conversations run each
// command only once. The zero CommandSources is ready to use once Run is set.
type CommandSources struct {
	Run Runner
	Now func() time.Time

	mu  sync.Mutex
	all map[string]*command
}

// Source returns the source of a command for an address. life is the lifetime of a token whose expiry
// is unknown.
func (c *CommandSources) Source(line, baseURL string, life time.Duration) Source {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := line + "\n" + baseURL
	if c.all == nil {
		c.all = map[string]*command{}
	}
	if c.all[at] == nil {
		one := &command{line: line, run: c.Run, now: c.Now}
		one.begin(one.currentToken, one.ask)
		c.all[at] = one
	}
	c.all[at].life.Store(int64(life))
	return c.all[at]
}

type command struct {
	line string
	run  Runner
	now  func() time.Time
	// life is the lifetime of a token whose expiry is unknown.
	life atomic.Int64

	shared
	token *Token
	// until is the time at which the next token is requested. late is set if the token had already
	// expired when it was printed.
	until time.Time
	late  bool
}

// currentToken returns the printed token, until it counts as expired or is refused.
func (c *command) currentToken(refused llm.Key) (Token, bool) {
	if c.token == nil || refused != "" && c.token.secret() == refused || !c.now().Before(c.until) {
		return Token{}, false
	}
	return *c.token, true
}

const setHint = "check the setting auth-command"

// ask runs the program.
func (c *command) ask(refused llm.Key) (Token, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	printed, complaint, err := c.run(ctx, c.line, maxPrinted+1)
	if complaint = humanize.Line(complaint, 300); complaint != "" {
		complaint = ": " + complaint
	}
	switch {
	case ctx.Err() != nil:
		return Token{}, tokenError(setHint, "auth-command was stopped after %s%s", commandTime, complaint)
	case err != nil && len(printed) <= maxPrinted: // a program that prints more is killed
		return Token{}, tokenError(setHint, "auth-command failed: %v%s", err, complaint)
	}
	token, err := parse(printed)
	if err != nil {
		return Token{}, tokenError(setHint, "auth-command %v%s", err, complaint)
	}
	now := c.now()
	ended := !token.Expires.IsZero() && !now.Before(token.Expires)
	if ended && c.late {
		return Token{}, tokenError(setHint, "auth-command prints expired tokens (expires_at %s)", token.Expires.Format(time.RFC3339))
	}
	c.token, c.late, c.until = &token, ended, now.Add(time.Duration(c.life.Load()))
	if !token.Expires.IsZero() {
		c.until = token.Expires.Add(-early)
	}
	if refused != "" && token.secret() == refused {
		return Token{}, tokenError(setHint, "the server rejected the token of auth-command, and the command printed it again")
	}
	return token, nil
}

// parse returns the token in the output of a program. Errors complete "auth-command …", and never
// contain the output.
func parse(printed []byte) (Token, error) {
	text := bytes.TrimSpace(printed)
	switch {
	case len(printed) > maxPrinted:
		return Token{}, fmt.Errorf("printed more than %s", humanize.Bytes(maxPrinted))
	case len(text) == 0:
		return Token{}, errors.New("printed nothing")
	case text[0] == '{':
		return parseJSON(text)
	case bytes.ContainsAny(text, "\n\r"):
		return Token{}, errors.New("printed more than one line; print the token alone, or JSON")
	}
	return Token{Key: llm.Key(text)}, checkKey(string(text))
}

func parseJSON(text []byte) (Token, error) {
	var said struct {
		Token   string            `json:"token"`
		Expires string            `json:"expires_at"`
		Headers map[string]string `json:"headers"`
	}
	if json.Unmarshal(text, &said) != nil {
		return Token{}, errors.New(`printed JSON that is not {"token": "…", "expires_at": "2026-01-31T12:00:00Z", "headers": {…}}`)
	}
	t := Token{Key: llm.Key(said.Token), Headers: map[string]string{}}
	for name, value := range said.Headers {
		name = textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case name == "Authorization" && said.Token != "":
			return Token{}, errors.New("printed a token and an Authorization header; print only one")
		case !isHeader(name):
			return Token{}, fmt.Errorf("printed the invalid header %s", humanize.Line(name, 60))
		case checkValue(value) != nil:
			return Token{}, fmt.Errorf("printed an invalid value of the header %s", name)
		}
		t.Headers[name] = value
	}
	if said.Token == "" && len(t.Headers) == 0 {
		return Token{}, errors.New("printed JSON without a token")
	}
	if said.Expires != "" {
		at, err := time.Parse(time.RFC3339, said.Expires)
		if err != nil {
			return Token{}, errors.New("printed an invalid expires_at; write it as 2026-01-31T12:00:00Z")
		}
		t.Expires = at
	}
	if said.Token == "" {
		return t, nil
	}
	return t, checkKey(said.Token)
}

func checkKey(key string) error {
	if len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New("printed an invalid token; a token can't contain spaces or special characters")
	}
	return nil
}

func checkValue(value string) error {
	if len(value) > maxKey || !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return errors.New("no value")
	}
	return nil
}

// isHeader reports whether a program may set a header.
func isHeader(name string) bool {
	const tokens = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
	switch name {
	case "", "Host", "Cookie", "Connection", "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Accept-Encoding", "Proxy-Authorization", "Upgrade", "Te", "Trailer":
		return false
	}
	return strings.Trim(strings.ToLower(name), tokens) == ""
}
