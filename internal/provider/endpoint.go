package provider

import (
	"fmt"
	"net/url"
	"strings"

	"agent/internal/llm"
	"agent/internal/words"
)

// openAIBaseURL is where a key without an endpoint belongs.
const openAIBaseURL = "https://api.openai.com/v1"

// maxShown is how much of a wrong value an error repeats, in characters.
const maxShown = 200

// Sources is where endpoint and key may come from. Every field may be
// left empty.
type Sources struct {
	// BaseURL and KeyFile are the settings base-url and auth-keyfile, which know
	// the order of flag, environment and profile.
	BaseURL, KeyFile string
	// BaseURLFrom is which of them BaseURL comes from, in words for a person.
	BaseURLFrom string
	// Env looks a variable of the environment up.
	Env func(name string) string
	// ReadKeyFile reads a key file; without it there are none.
	ReadKeyFile func(path string) (llm.Key, error)
	// Keyring looks up the key of a base URL in the keyring of the system; see
	// SystemKeyring. It returns "" when there is none.
	Keyring func(baseURL string) llm.Key
}

// Endpoint is where to send requests, with which key, and why.
type Endpoint struct {
	// BaseURL is empty when nothing names an endpoint; BaseURLFrom says what does.
	BaseURL, BaseURLFrom string
	// Key is empty when none is needed or found.
	Key llm.Key
	// KeyFrom says where Key comes from, in words for a person.
	KeyFrom string
}

// Resolve finds endpoint and key: the key is OPENAI_API_KEY, else in the
// auth-keyfile, else in the keyring. A key without an endpoint belongs to OpenAI.
// With neither, the Endpoint is empty and Detect comes next. An error is about
// wrong configuration.
func Resolve(from Sources) (Endpoint, error) {
	var endpoint Endpoint
	if strings.TrimSpace(from.BaseURL) != "" {
		base, err := NormalizeBaseURL(from.BaseURL)
		if err != nil {
			return Endpoint{}, fmt.Errorf("base-url: %w", err)
		}
		endpoint.BaseURL, endpoint.BaseURLFrom = base, from.BaseURLFrom
	}
	if err := endpoint.findKey(from); err != nil {
		return Endpoint{}, err
	}
	if endpoint.BaseURL == "" && endpoint.Key != "" {
		endpoint.BaseURL, endpoint.BaseURLFrom = openAIBaseURL, "the default for a key"
	}
	return endpoint, nil
}

func (e *Endpoint) findKey(from Sources) error {
	key := ""
	if from.Env != nil {
		key = strings.TrimSpace(from.Env(llm.EnvKey))
	}
	if key != "" {
		if err := checkKey(key); err != nil {
			return fmt.Errorf("%s: %w", llm.EnvKey, err)
		}
		e.Key, e.KeyFrom = llm.Key(key), llm.EnvKey
		return nil
	}
	if from.KeyFile != "" && from.ReadKeyFile != nil {
		key, err := from.ReadKeyFile(from.KeyFile)
		if err != nil {
			return fmt.Errorf("auth-keyfile: %w", err)
		}
		e.Key, e.KeyFrom = key, from.KeyFile
		return nil
	}
	if from.Keyring == nil {
		return nil
	}
	base := e.BaseURL
	if base == "" {
		base = openAIBaseURL
	}
	if e.Key = from.Keyring(base); e.Key != "" {
		e.KeyFrom = "the system's keyring"
	}
	return nil
}

// NormalizeBaseURL brings an address into the form requests are built from:
// without a slash at its end and without /chat/completions. It refuses what is not
// an http or https address, and secrets in it.
func NormalizeBaseURL(raw string) (string, error) {
	const complete = "write it in full, such as http://localhost:8080/v1"
	text := strings.TrimSpace(raw)
	u, err := url.Parse(text)
	switch {
	case !strings.Contains(text, "://"):
		return "", fmt.Errorf("%q has no http:// or https:// in front; %s", words.Line(text, maxShown), complete)
	case err != nil:
		return "", fmt.Errorf("not a URL; %s", complete)
	case u.User != nil:
		return "", fmt.Errorf("%s carries a user name or key; put the key into %s", u.Host, llm.EnvKey)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%q begins with %s://, not http:// or https://", words.Line(text, maxShown), u.Scheme)
	case u.Hostname() == "":
		return "", fmt.Errorf("%q names no host; %s", words.Line(text, maxShown), complete)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%s%s: leave out what follows ? or #", u.Host, u.Path)
	}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimRight(strings.TrimSuffix(path, "/chat/completions"), "/")
	return u.Scheme + "://" + u.Host + path, nil
}
