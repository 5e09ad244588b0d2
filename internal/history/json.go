package history

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// asItCame contains the options for reading and writing JSON without changing it. Raw values keep their
// spelling. Strings escape no more than required (code is full of <, > and &). Text that is not UTF-8
// is repaired.
var asItCame = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.PreserveRawStrings(true),
	jsontext.EscapeForJS(true),
)

// content is Content without its methods, so that the library does not call them to read and write it.
type content Content

// MarshalJSON writes the entry in the format of the session log: known members in a fixed order, then
// the members of other versions unchanged.
func (c *Content) MarshalJSON() ([]byte, error) {
	return json.Marshal((*content)(c), asItCame)
}

// UnmarshalJSON reads an entry. An error in a field is returned as a *FieldError and leaves c
// unchanged. Unknown members are kept.
func (c *Content) UnmarshalJSON(data []byte) error {
	if jsontext.Value(data).Kind() != '{' {
		return &FieldError{"", "is not a JSON object"}
	}
	var entry content
	if err := json.Unmarshal(data, &entry, asItCame); err != nil {
		return fieldError(err)
	}
	if err := entry.complete(data); err != nil {
		return err
	}
	*c = Content(entry)
	c.id = new(identity)
	return nil
}

// complete checks that data, from which c was read, has all required members. The library does not
// distinguish a missing member from one with a zero value.
func (c *content) complete(data []byte) error {
	if c.Speaker == "" {
		if err := required(data, "/speaker", "a string"); err != nil {
			return err
		}
	}
	if c.Speaker != Human && c.Speaker != AI && c.Speaker != Tool {
		return &FieldError{"/speaker", fmt.Sprintf("%q is not one of human, ai, tool", c.Speaker)}
	}
	if c.Blocks == nil {
		return required(data, "/blocks", "a list")
	}
	for i, block := range c.Blocks {
		for name, value := range requiredMembers(block) {
			if value != "" {
				continue
			}
			at := jsontext.Pointer(fmt.Sprintf("/blocks/%d/%s", i, name))
			if err := required(data, at, "a string"); err != nil {
				return err
			}
		}
	}
	return nil
}
