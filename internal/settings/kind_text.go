package settings

import (
	"errors"
	"net/url"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/base/fsutil"
	"agent/internal/base/secret"
)

func oneLine(name Type, takes string, parse func(string) (string, error)) Kind[string] {
	return Kind[string]{name: name, takes: takes, parse: parse, schema: func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", MinLength: new(1)}
	}}
}

// Word returns the Kind of a setting whose value has no spaces.
func Word() Kind[string] { return oneWord(TypeString, "a name", plainText) }

// Path returns the kind of paths, which are stored as typed and may contain spaces.
func Path() Kind[string] { return oneLine(TypePath, "a path", plainText) }

// Line returns the kind of texts of one line.
func Line() Kind[string] { return oneLine(TypeString, "one line of text", plainText) }

// URL returns the kind of http and https addresses. They are stored without a trailing slash.
func URL() Kind[string] {
	const takes = "an http or https address such as http://localhost:11434/v1"
	return oneWord(TypeURL, takes, func(text string) (string, error) {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return "", errors.New("must be " + takes)
		}
		if u.User != nil {
			return "", errors.New("must not contain a user name or password; put the API key into OPENAI_API_KEY or the file of auth-keyfile")
		}
		return strings.TrimRight(text, "/"), nil
	})
}

// ProfileName returns the kind of profile names. The profile need not exist.
func ProfileName() Kind[string] {
	return oneWord(TypeProfile, "a name", func(text string) (string, error) {
		if err := CheckName(text); err != nil {
			return "", errors.New("must be a profile name: " + err.Error())
		}
		return text, nil
	})
}

// List returns the kind of lists of texts. They are typed and stored with commas as separators.
// Items returns the texts of a value.
func List(takes string) Kind[string] {
	k := oneLine(TypeList, takes, func(text string) (string, error) {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return "", errors.New("must be " + takes + ", in one line of plain text")
		}
		items := SplitItems(text)
		if len(items) == 0 {
			return "", errEmpty
		}
		return strings.Join(items, ","), nil
	})
	k.schema = func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", MinLength: new(1), Pattern: `[^,\s]`}
	}
	return k
}

// ProfileNames returns the kind of lists of profile names. The profiles need not exist. Items returns
// the names of a value.
func ProfileNames() Kind[string] {
	k := List("comma-separated profile names")
	parse := k.parse
	k.parse = func(text string) (string, error) {
		value, err := parse(text)
		for _, name := range SplitItems(value) {
			if err := CheckName(name); err != nil {
				return "", errors.New("must be profile names: " + err.Error())
			}
		}
		return value, err
	}
	return k
}

// SplitItems returns the texts of a value of a List.
func SplitItems(value string) []string {
	var items []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// Paths returns the items of a value of a List as absolute paths. ~ is the home folder, and
// relative paths are relative to base.
func Paths(value, home, base string) []string {
	paths := SplitItems(value)
	for i, path := range paths {
		if path == "~" || strings.HasPrefix(path, "~/") {
			path = home + path[1:]
		}
		paths[i] = fsutil.ResolveIn(base, path)
	}
	return paths
}

// oneWord returns a kind of text without spaces, which parse checks further.
func oneWord(name Type, takes string, parse func(string) (string, error)) Kind[string] {
	return oneLine(name, takes, func(text string) (string, error) {
		if text != "" && !strings.ContainsFunc(text, unicode.IsControl) && strings.ContainsFunc(text, unicode.IsSpace) {
			return "", errors.New("must be " + takes + ", without spaces")
		}
		if _, err := plainText(text); err != nil {
			return "", err
		}
		return parse(text)
	})
}

var errEmpty = errors.New("must not be empty; to restore the default, unset it")

// plainText returns text unchanged. It returns an error if text is not one line or is an API key.
func plainText(text string) (string, error) {
	switch {
	case text == "":
		return "", errEmpty
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", errors.New("must be one line of plain text")
	case secret.Is(text):
		return "", errors.New("looks like an API key, and API keys are not settings: put the key in a file and set auth-keyfile to its path, or use OPENAI_API_KEY")
	}
	return text, nil
}
