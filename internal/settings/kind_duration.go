package settings

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// TypeDuration is the type of spans of time.
const TypeDuration Type = "duration"

// Duration is the kind of spans of time from least to most. A number without a
// unit counts seconds.
func Duration(least, most time.Duration) Kind[time.Duration] { return duration{least, most} }

type duration struct{ least, most time.Duration }

func (duration) Type() Type       { return TypeDuration }
func (duration) values() []string { return nil }

func (k duration) takes() string {
	return "a time such as 90s or 5m, from " + k.text(k.least) + " to " + k.text(k.most)
}

// text leaves out the units that are zero: 5m, not 5m0s.
func (duration) text(v time.Duration) string {
	text := v.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func (k duration) parseText(text string) (time.Duration, error) {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		text += "s"
	}
	v, err := time.ParseDuration(text)
	if err != nil || v < k.least || v > k.most {
		return 0, errors.New("must be " + k.takes() + ", not " + quote(text))
	}
	return v, nil
}

func (k duration) parseJSON(decoded any) (time.Duration, error) {
	text, ok := decoded.(string)
	if !ok {
		return 0, errOtherType
	}
	return k.parseText(strings.TrimSpace(text))
}

func (duration) schema(schema *jsonschema.Schema) {
	schema.Type = "string"
	schema.Pattern = `^[0-9]+(\.[0-9]+)?(h|m|s)?([0-9]+(\.[0-9]+)?(m|s))*$`
}
