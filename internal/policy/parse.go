package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"agent/internal/base/rawjson"
)

// parse reads the members from the content of a file. It refuses ambiguous input, because the wider
// meaning may not be intended: a duplicate member, and null, which could mean no limit or an empty
// list.
func (p *Policy) parse(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the file is empty. For no restrictions, write {}")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := p.members(d); err != nil {
		return fmt.Errorf("line %d: %w", rawjson.PositionAt(data, int(d.InputOffset())).Line, plainly(err))
	}
	return nil
}

// plainly returns an error of the JSON decoder as plain text.
func plainly(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON is incomplete")
	case errors.As(err, &syntax):
		return errors.New("it is not valid JSON: " + err.Error())
	}
	return err
}

func (p *Policy) members(d *json.Decoder) error {
	lists := map[string]*[]string{
		"modes": &p.Modes, "tools": &p.Tools, "deny": &p.Deny, "hosts": &p.Hosts, "providers": &p.Providers, "servers": &p.Servers, "logins": &p.Logins,
	}
	words := map[string]*string{"sandbox": &p.Sandbox, "cache-warming": &p.CacheWarming}
	there := map[string]bool{}
	if token, err := d.Token(); err != nil {
		return err
	} else if token != json.Delim('{') {
		return errors.New("it is not a JSON object")
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		list, known := lists[name]
		word, single := words[name]
		switch {
		case !known && !single:
			return fmt.Errorf("unknown member %q; valid: %s and %s", name, strings.Join(slices.Sorted(maps.Keys(lists)), ", "), strings.Join(slices.Sorted(maps.Keys(words)), ", "))
		case there[name]:
			return fmt.Errorf("%s appears twice", name)
		case string(value) == "null":
			return fmt.Errorf("%s is null; omit it for no limit", name)
		case known:
			*list, err = texts(value)
		default:
			err = json.Unmarshal(value, word)
		}
		switch {
		case err != nil && known:
			return fmt.Errorf("%s is not a list of strings", name)
		case err != nil:
			return fmt.Errorf("%s is not a string", name)
		}
		there[name] = true
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text after the JSON object")
	}
	return nil
}

// texts returns a list of strings. It returns an error if one is null.
func texts(value json.RawMessage) ([]string, error) {
	var list []*string
	if err := json.Unmarshal(value, &list); err != nil {
		return nil, err
	}
	found := make([]string, len(list))
	for i, text := range list {
		if text == nil {
			return nil, errors.New("null")
		}
		found[i] = *text
	}
	return found, nil
}
