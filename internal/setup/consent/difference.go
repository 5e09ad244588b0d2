package consent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// difference lists what two contents have different, a line each: - for what was, + for
// what is.
func difference(before, now string) []string {
	was, is := leaves(before), leaves(now)
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
				lines = append(lines, "- "+key+": "+old)
			}
			if has {
				lines = append(lines, "+ "+key+": "+value)
			}
		}
	}
	return lines
}

// leaves are the values of a content by where they are: "command", "args[1]",
// "file run.sh".
func leaves(text string) map[string]string {
	var c content
	all := map[string]string{}
	if json.Unmarshal([]byte(text), &c) != nil {
		return all
	}
	for _, f := range c.Files {
		all["file "+f.Path] = strings.TrimSpace(f.To + " " + f.SHA256)
	}
	leavesOf(all, "", c.Fields)
	return all
}

func leavesOf(all map[string]string, at string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			leavesOf(all, strings.TrimPrefix(at+"."+key, "."), inner)
		}
	case []any:
		for n, inner := range v {
			leavesOf(all, fmt.Sprintf("%s[%d]", at, n), inner)
		}
	default:
		all[at] = fmt.Sprint(v)
	}
}
