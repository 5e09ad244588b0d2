package settings

import (
	"errors"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
)

// TypeList is the type of lists of texts.
const TypeList Type = "list"

// List is the kind of lists of texts, written with commas between them and kept so.
// Items takes a value apart.
func List(takes string) Kind[string] { return list{takesText: takes} }

type list struct {
	oneLine
	takesText string
}

func (list) Type() Type      { return TypeList }
func (k list) takes() string { return k.takesText }

func (k list) parseText(text string) (string, error) {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", errors.New("must be " + k.takes() + ", in one line of plain text")
	}
	items := Items(text)
	if len(items) == 0 {
		return "", errors.New("must not be empty; to go back to the default unset it")
	}
	return strings.Join(items, ","), nil
}

func (k list) parseJSON(decoded any) (string, error) { return fromText(k.parseText, decoded) }

// Items are the texts of a value of a List.
func Items(value string) []string {
	var items []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

func (k list) schema(schema *jsonschema.Schema) {
	k.oneLine.schema(schema)
	schema.Pattern = `[^,\s]`
}
