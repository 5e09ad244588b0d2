package login

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/words"

	"golang.org/x/oauth2"
)

// An Account is a kind of account that people have with a vendor. To add one, add a value.
type Account struct {
	// Name is what users type, Title the vendor's own spelling.
	Name, Title string
	// Why says why there is no login, "" if there is one, and Instead the ways there are.
	Why, Instead string
	// authorize is where the person agrees; keys is where the code becomes a key.
	authorize, keys string
}

const notRegistered = "the vendor has not registered this program as a client, and it does not pretend to be another"

var accounts = []Account{
	{Name: "openrouter", Title: "OpenRouter", authorize: "https://openrouter.ai/auth", keys: "https://openrouter.ai/api/v1/auth/keys"},
	{Name: "github-copilot", Title: "GitHub Copilot", Why: notRegistered, Instead: "a key of GitHub Models or another vendor, such as agent login openrouter --oauth"},
	{Name: "chatgpt", Title: "ChatGPT", Why: notRegistered, Instead: "a key (agent login openai), or agent login openrouter --oauth"},
	{Name: "claude", Title: "Claude Pro and Max", Why: "Anthropic's terms forbid it to other programs, and refuse such tokens", Instead: "a key (agent login anthropic), or Claude through OpenRouter (agent login openrouter --oauth), --provider bedrock or --provider vertex"},
	{Name: "gemini", Title: "Gemini with a Google account", Why: "Google's terms forbid it to other programs", Instead: "a key (agent login gemini), or --provider vertex"},
}

// Accounts returns all accounts, those without a login too.
func Accounts() []Account { return slices.Clone(accounts) }

// AccountNamed returns the account with a name; anthropic is that of Claude, openai that of
// ChatGPT.
func AccountNamed(name string) (Account, bool) {
	for other, own := range map[string]string{"anthropic": "claude", "openai": "chatgpt", "copilot": "github-copilot"} {
		if name == other {
			name = own
		}
	}
	i := slices.IndexFunc(accounts, func(a Account) bool { return a.Name == name })
	if i < 0 {
		return Account{}, false
	}
	return accounts[i], true
}

// A RefusedError says why there is no login to an account.
type RefusedError struct{ Account Account }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("there is no login to %s: %s. There is %s", e.Account.Title, e.Account.Why, e.Account.Instead)
}

// patience bounds a login, which waits for a person.
const patience = 15 * time.Minute

// Login leads a person to the vendor and returns the key of their account (RFC 7636). transport
// makes the request for the key.
func (a Account) Login(ctx context.Context, transport http.RoundTripper, open Opener) (llm.Key, error) {
	if a.Why != "" {
		return "", &RefusedError{a}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, failed("", "nobody logged in to %s within %s", a.Title, patience))
	defer cancel()
	back, err := NewCallback(0)
	if err != nil {
		return "", err
	}
	defer back.Close()
	// The vendor sends no state of its own, so it is a part of the address to return to.
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	address := a.authorize + "?" + url.Values{
		"callback_url": {back.Address + "?state=" + state}, "code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)}, "code_challenge_method": {"S256"},
	}.Encode()
	answer, err := back.Wait(ctx, address, state, open)
	if err != nil {
		return "", err
	}
	code, reason := answer.Get("code"), answer.Get("error")
	switch {
	case subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(state)) != 1:
		return "", failed("", "the address is not the answer to this login")
	case reason != "" || code == "":
		return "", failed("", "the login was refused: %s", words.Line(strings.TrimSpace(reason+" "+answer.Get("error_description")), 300))
	}
	return a.exchange(ctx, transport, code, verifier)
}

// exchange gets the key for a code.
func (a Account) exchange(ctx context.Context, transport http.RoundTripper, code, verifier string) (llm.Key, error) {
	const bound, most = 30 * time.Second, 64 << 10
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	body, err := json.Marshal(map[string]string{"code": code, "code_verifier": verifier, "code_challenge_method": "S256"})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.keys, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "agent")
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return "", failed("", "%s does not answer: %s", a.Title, words.Line(errors.Unwrap(err).Error(), 200))
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return "", failed("", "%s does not answer: %v", a.Title, err)
	}
	var said struct {
		Key   string `json:"key"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(text, &said) // without JSON the status says all
	switch {
	case response.StatusCode != http.StatusOK:
		return "", failed("", "%s gives no key (%d): %s", a.Title, response.StatusCode, words.Line(said.Error.Message, 300))
	case said.Key == "" || checkKey(said.Key) != nil:
		return "", failed("", "%s gives no key: its answer has none", a.Title)
	}
	return llm.Key(said.Key), nil
}
