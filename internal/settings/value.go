package settings

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"agent/internal/nearest"
)

// Value is the validated, canonical value of a setting, or unset.
type Value struct {
	// v is nil, or a string, int, float64 or bool as the Spec's type has it.
	v any
}

// IsSet reports whether there is a value at all.
func (v Value) IsSet() bool { return v.v != nil }

// String returns the value as a user would type it, "" when unset.
func (v Value) String() string {
	switch x := v.v.(type) {
	case string:
		return x
	case int:
		return strconv.Itoa(x)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(x)
	default:
		return ""
	}
}

// MarshalJSON implements json.Marshaler; unset is null.
func (v Value) MarshalJSON() ([]byte, error) { return encode(v.v) }

// Parse validates text and returns it in canonical form. The error is one line
// that names the valid choice; it never repeats what may be a secret.
func (s *Spec) Parse(text string) (Value, error) {
	text = strings.TrimSpace(text)
	switch s.Type {
	case TypeBool:
		return s.parseBool(text)
	case TypeEnum:
		return s.parseEnum(text)
	case TypeInt:
		n, err := strconv.Atoi(text)
		if err != nil {
			return s.refuseNumber(text)
		}
		return s.checkNumber(float64(n), n)
	case TypeNumber:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return s.refuseNumber(text)
		}
		return s.checkNumber(x, x)
	default:
		return s.parseText(text)
	}
}

// fromJSON validates a value of a profile file. Errors are *Error.
func (s *Spec) fromJSON(raw json.RawMessage) (Value, error) {
	var decoded any
	if err := json.Unmarshal(raw, &decoded); err != nil {
		return Value{}, s.refuse("must name a profile; %s", err)
	}
	_, isText := decoded.(string)
	isNumber := s.Type == TypeInt || s.Type == TypeNumber
	switch x := decoded.(type) {
	case bool:
		if s.Type == TypeBool {
			return Value{x}, nil
		}
	case float64:
		if s.Type == TypeInt && x != float64(int(x)) || isNumber && !s.Range.contains(x) {
			return s.refuseNumber(string(raw))
		}
		if s.Type == TypeInt {
			return Value{int(x)}, nil
		}
		if isNumber {
			return Value{x}, nil
		}
	case string:
		if !isNumber && s.Type != TypeBool {
			return s.Parse(x)
		}
	}
	if isText {
		return Value{}, s.refuse("must be %s, without quotes", s.Takes())
	}
	return Value{}, s.refuse("must be %s, not %s", s.Takes(), quote(string(raw)))
}

func (s *Spec) parseBool(text string) (Value, error) {
	switch strings.ToLower(text) {
	case "true", "on", "yes", "1":
		return Value{true}, nil
	case "false", "off", "no", "0":
		return Value{false}, nil
	}
	return Value{}, s.refuse("must be true or false, not %s", quote(text))
}

func (s *Spec) parseEnum(text string) (Value, error) {
	i := slices.IndexFunc(s.Enum, func(value string) bool { return strings.EqualFold(value, text) })
	if i >= 0 {
		return Value{s.Enum[i]}, nil
	}
	return Value{}, s.refuse("must be %s, not %s%s", s.Takes(), quote(text), nearest.Question(text, s.Enum))
}

func (s *Spec) checkNumber(x float64, value any) (Value, error) {
	if !s.Range.contains(x) {
		return s.refuseNumber(strconv.FormatFloat(x, 'f', -1, 64))
	}
	return Value{value}, nil
}

func (s *Spec) refuseNumber(text string) (Value, error) {
	return Value{}, s.refuse("must be %s, not %s", s.Takes(), quote(text))
}

func (s *Spec) parseText(text string) (Value, error) {
	switch {
	case text == "":
		return Value{}, s.refuse("must not be empty; to go back to the default unset it")
	case strings.ContainsFunc(text, unicode.IsControl):
		return Value{}, s.refuse("must be one line of plain text")
	case s.Type != TypePath && strings.ContainsFunc(text, unicode.IsSpace):
		return Value{}, s.refuse("must be %s, without spaces", s.Takes())
	case looksLikeKey(text):
		return Value{}, s.refuse("that looks like an API key, and a key is never a setting: put it in a file and set auth-keyfile to its path, or use OPENAI_API_KEY")
	}
	switch s.Type {
	case TypeURL:
		return s.parseURL(text)
	case TypeProfile:
		if err := ValidName(text); err != nil {
			return Value{}, s.refuse("must name a profile; %s", err)
		}
	}
	return Value{text}, nil
}

func (s *Spec) parseURL(text string) (Value, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Value{}, s.refuse("must be %s", s.Takes())
	}
	if u.User != nil {
		return Value{}, s.refuse("must not hold a user name or password; the key goes into OPENAI_API_KEY or the file of auth-keyfile")
	}
	return Value{strings.TrimRight(text, "/")}, nil
}

// looksLikeKey recognises the usual form of provider keys, so that one typed in
// the wrong place is not written to a profile.
func looksLikeKey(text string) bool {
	return strings.HasPrefix(text, "sk-") && len(text) >= 20 && !strings.ContainsAny(text, "/\\")
}

// Takes says what values the setting takes, for example "a number from 0 to 2".
func (s *Spec) Takes() string {
	switch s.Type {
	case TypeBool:
		return "true or false"
	case TypeEnum:
		return "one of " + strings.Join(s.Enum, ", ")
	case TypeInt:
		return "a whole number" + s.rangeText()
	case TypeNumber:
		return "a number" + s.rangeText()
	case TypeURL:
		return "an http or https address such as http://localhost:11434/v1"
	case TypePath:
		return "a path"
	default:
		return "a name"
	}
}

func (s *Spec) rangeText() string {
	if s.Range.Text == "" {
		return ""
	}
	return " " + s.Range.Text
}

func (s *Spec) refuse(format string, args ...any) error {
	return &Error{Key: s.Key, Problem: fmt.Sprintf(format, args...)}
}

// DefaultText returns the built-in value as a user would type it, "" when there
// is none.
func (s *Spec) DefaultText() string { return Value{s.Default}.String() }
