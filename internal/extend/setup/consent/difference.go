package consent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// difference lists the differences between two contents, one line each. "-" marks an old value and
// "+" a new one.
func difference(before, now string) []string {
	was, is := contentValues(before), contentValues(now)
	var keys []string
	for key := range was {
		keys = append(keys, key)
	}
	for key := range is {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var lines []string
	for _, key := range slices.Compact(keys) {
		old, had := was[key]
		value, has := is[key]
		switch {
		case had && has && old == value:
		case had && has && strings.HasPrefix(key, "file "):
			lines = append(lines, "+ "+key+": other bytes")
		default:
			if had {
				lines = append(lines, strings.TrimSuffix("- "+key+": "+old, ": "))
			}
			if has {
				lines = append(lines, strings.TrimSuffix("+ "+key+": "+value, ": "))
			}
		}
	}
	return lines
}

// comparable reports whether a content lists effects, as all answers of this version do.
func comparable(text []byte) bool {
	var c content
	return json.Unmarshal(text, &c) == nil && c.Effects != nil
}

// contentValues maps names such as "command", "argument 2" and "file run.sh" to the values of a
// content.
func contentValues(text string) map[string]string {
	var c content
	all := map[string]string{}
	if json.Unmarshal([]byte(text), &c) != nil {
		return all
	}
	maps.Copy(all, c.Effects.TextsByPlace())
	for _, f := range c.Files {
		all["file "+f.Path] = strings.TrimSpace(f.To + " " + f.SHA256)
	}
	if c.In != "" {
		all["in"] = c.In
	}
	if c.Undetermined {
		all[undetermined] = ""
	}
	return all
}
