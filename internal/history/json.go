package history

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// asItCame are the rules by which JSON is read and written: what came in is what
// is sent. Raw values keep their spelling, strings escape no more than they must
// (code is full of <, > and &), and text that is not UTF-8 is repaired.
var asItCame = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.PreserveRawStrings(true),
	jsontext.EscapeForJS(true),
)

// content is Content without its methods, so that the library does not ask it to
// read and write itself.
type content Content

// MarshalJSON writes the entry in the shape of the session log: known members in a
// fixed order, then those of other versions as they came.
func (c *Content) MarshalJSON() ([]byte, error) {
	return json.Marshal((*content)(c), asItCame)
}

// UnmarshalJSON reads an entry. A wrong field is reported as *FieldError and
// leaves c unchanged; unknown members are kept.
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

// complete checks that the members an entry must have are in data, from which it
// was read: to the library a member that is missing is one without a value.
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
