package settings

import (
	"errors"
	"net/url"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/secret"
)

// The types of the kinds of text.
const (
	TypeString  Type = "string"
	TypeURL     Type = "url"
	TypePath    Type = "path"
	TypeProfile Type = "profile name"
)

// Word is the kind of text without spaces.
func Word() Kind[string] { return word{} }

type word struct{ oneLine }

func (word) Type() Type    { return TypeString }
func (word) takes() string { return "a name" }

func (k word) parseText(text string) (string, error) { return plainWord(text, k.takes()) }

func (k word) parseJSON(decoded any) (string, error) { return fromText(k.parseText, decoded) }

// URL is the kind of http and https addresses, kept without a trailing slash.
func URL() Kind[string] { return address{} }

type address struct{ oneLine }

func (address) Type() Type    { return TypeURL }
func (address) takes() string { return "an http or https address such as http://localhost:11434/v1" }

func (k address) parseText(text string) (string, error) {
	if _, err := plainWord(text, k.takes()); err != nil {
		return "", err
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("must be " + k.takes())
	}
	if u.User != nil {
		return "", errors.New("must not hold a user name or password; the key goes into OPENAI_API_KEY or the file of auth-keyfile")
	}
	return strings.TrimRight(text, "/"), nil
}

func (k address) parseJSON(decoded any) (string, error) { return fromText(k.parseText, decoded) }

// Path is the kind of paths, kept as the user wrote them; they may hold spaces.
func Path() Kind[string] { return path{} }

type path struct{ oneLine }

func (path) Type() Type    { return TypePath }
func (path) takes() string { return "a path" }

func (path) parseText(text string) (string, error) { return plainText(text) }

func (k path) parseJSON(decoded any) (string, error) { return fromText(k.parseText, decoded) }

// Line is the kind of one line of text, spaces in it.
func Line() Kind[string] { return line{} }

type line struct{ oneLine }

func (line) Type() Type    { return TypeString }
func (line) takes() string { return "one line of text" }

func (line) parseText(text string) (string, error) { return plainText(text) }

func (k line) parseJSON(decoded any) (string, error) { return fromText(k.parseText, decoded) }

// ProfileName is the kind of names of profiles, which need not exist.
func ProfileName() Kind[string] { return profileName{} }

type profileName struct{ oneLine }

func (profileName) Type() Type    { return TypeProfile }
func (profileName) takes() string { return "a name" }

func (k profileName) parseText(text string) (string, error) {
	if _, err := plainWord(text, k.takes()); err != nil {
		return "", err
	}
	if err := ValidName(text); err != nil {
		return "", errors.New("must name a profile; " + err.Error())
	}
	return text, nil
}

func (k profileName) parseJSON(decoded any) (string, error) { return fromText(k.parseText, decoded) }

// oneLine is what all kinds of text have in common.
type oneLine struct{}

func (oneLine) values() []string     { return nil }
func (oneLine) text(v string) string { return v }

func (oneLine) schema(schema *jsonschema.Schema) {
	one := 1
	schema.Type, schema.MinLength = "string", &one
}

func fromText(parse func(string) (string, error), decoded any) (string, error) {
	text, ok := decoded.(string)
	if !ok {
		return "", errOtherType
	}
	return parse(strings.TrimSpace(text))
}

// plainWord returns text that is one word.
func plainWord(text, takes string) (string, error) {
	if text != "" && !strings.ContainsFunc(text, unicode.IsControl) && strings.ContainsFunc(text, unicode.IsSpace) {
		return "", errors.New("must be " + takes + ", without spaces")
	}
	return plainText(text)
}

// plainText returns text that is one line and no API key.
func plainText(text string) (string, error) {
	switch {
	case text == "":
		return "", errors.New("must not be empty; to go back to the default unset it")
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", errors.New("must be one line of plain text")
	case secret.Is(text):
		return "", errors.New("that looks like an API key, and a key is never a setting: put it in a file and set auth-keyfile to its path, or use OPENAI_API_KEY")
	}
	return text, nil
}
