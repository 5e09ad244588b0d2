package settings

import (
	"errors"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// DurationOrAuto is the kind of spans of time that may be left to the program: auto is 0.
func DurationOrAuto(least, most time.Duration) Kind[time.Duration] {
	return durationOrAuto{duration{least, most}}
}

const auto = "auto"

type durationOrAuto struct{ duration }

func (k durationOrAuto) takes() string { return auto + ", or " + k.duration.takes() }

func (k durationOrAuto) text(v time.Duration) string {
	if v == 0 {
		return auto
	}
	return k.duration.text(v)
}

func (k durationOrAuto) parseText(text string) (time.Duration, error) {
	if strings.EqualFold(text, auto) {
		return 0, nil
	}
	v, err := k.duration.parseText(text)
	if err != nil {
		return 0, errors.New("must be " + k.takes() + ", not " + quote(text))
	}
	return v, nil
}

func (k durationOrAuto) parseJSON(decoded any) (time.Duration, error) {
	text, ok := decoded.(string)
	if !ok {
		return 0, errOtherType
	}
	return k.parseText(strings.TrimSpace(text))
}

func (k durationOrAuto) schema(schema *jsonschema.Schema) {
	k.duration.schema(schema)
	schema.Pattern = "^" + auto + "$|" + schema.Pattern
}
