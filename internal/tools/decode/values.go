package decode

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"agent/internal/base/rawjson"
	"agent/internal/cmdline"
)

// forms converts the values of parameters. The keys are our names. A value that a conversion does
// not support stays unchanged.
var forms = map[string]func(json.RawMessage) json.RawMessage{
	"command": commandLine, "file_path": withoutScheme, "path": withoutScheme, "directory": withoutScheme,
	"mode": mode, "edits": edits, "todos": todos, "questions": questions,
}

// meanings converts values that were sent under another name of a parameter. It returns false for a
// value without a meaning.
var meanings = map[string]func(json.RawMessage) (json.RawMessage, bool){
	"timeout": seconds, "timeout_ms": fromMilliseconds, "insert_line": next, "type": ofFileType,
	"blocked_domains": leftOut,
}

// leftOut converts a list of domains to exclude: it puts a hyphen before each.
func leftOut(value json.RawMessage) (json.RawMessage, bool) {
	var domains []string
	if json.Unmarshal(value, &domains) != nil {
		return value, true // the tool refuses a text
	}
	for i, domain := range domains {
		domains[i] = "-" + strings.TrimPrefix(domain, "-")
	}
	list, err := rawjson.Marshal(domains)
	return list, err == nil
}

// whole returns the whole number in a number or in a text.
func whole(value json.RawMessage) (int, bool) {
	f, err := strconv.ParseFloat(strings.Trim(string(value), `" `), 64)
	return int(f), err == nil && f == float64(int(f))
}

func number(n int) json.RawMessage { return strconv.AppendInt(nil, int64(n), 10) }

// next returns the number of the line after the given one.
func next(value json.RawMessage) (json.RawMessage, bool) {
	n, ok := whole(value)
	return number(n + 1), ok
}

const millisecond = 1000

// seconds returns a timeout in seconds. It interprets a value of 1000 or more as milliseconds.
func seconds(value json.RawMessage) (json.RawMessage, bool) {
	if n, ok := whole(value); !ok || n >= millisecond {
		return fromMilliseconds(value)
	}
	return value, true
}

func fromMilliseconds(value json.RawMessage) (json.RawMessage, bool) {
	n, ok := whole(value)
	return number((n + millisecond - 1) / millisecond), ok
}

// bothLines returns the first and the last line of a range, which is two numbers or a text such as
// "12-40".
func bothLines(value json.RawMessage) (first, last int, ok bool) {
	var both []int
	if json.Unmarshal(value, &both) == nil && len(both) == 2 {
		return both[0], both[1], true
	}
	from, to, _ := strings.Cut(strings.Trim(string(value), `"`), "-")
	first, one := whole([]byte(from))
	last, other := whole([]byte(to))
	return first, last, one && other
}

// coerce converts a value of the wrong type if it has only one meaning.
func coerce(want string, value json.RawMessage) json.RawMessage {
	switch want {
	case "integer":
		if n, ok := whole(value); ok {
			return number(n)
		}
	case "boolean":
		return truth(value)
	case "array":
		var text string
		var list []json.RawMessage
		switch {
		case json.Unmarshal(value, &text) != nil:
		case json.Unmarshal([]byte(text), &list) == nil:
			return json.RawMessage(text)
		default:
			return listOf(value)
		}
	}
	return value
}

func listOf(value json.RawMessage) json.RawMessage {
	return slices.Concat(json.RawMessage("["), value, json.RawMessage("]"))
}

// truth converts a boolean that is written as a number or as a text.
func truth(value json.RawMessage) json.RawMessage {
	is, err := strconv.ParseBool(strings.ToLower(strings.Trim(string(value), `" `)))
	if err != nil {
		return value
	}
	return strconv.AppendBool(nil, is)
}

// reworded rewrites a text by the function words. It returns other values unchanged.
func reworded(value json.RawMessage, words func(text string) string) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	return rawjson.AppendString(nil, words(text))
}

// withoutScheme returns the path of a file that is named by a URL.
func withoutScheme(value json.RawMessage) json.RawMessage {
	return reworded(value, func(text string) string {
		if named, err := url.Parse(text); err == nil && strings.HasPrefix(text, "file:///") && named.RawQuery == "" && named.Fragment == "" {
			return named.Path
		}
		return text
	})
}

func mode(value json.RawMessage) json.RawMessage {
	return reworded(value, func(text string) string { return cmp.Or(modes[text], text) })
}

// ofFileType returns the glob for the files of a type, such as "py".
func ofFileType(value json.RawMessage) (json.RawMessage, bool) {
	glob := reworded(value, func(text string) string {
		if text == "" || strings.ContainsAny(text, "*?.[{/") {
			return text
		}
		return "*." + cmp.Or(suffixes[text], text)
	})
	return glob, glob[0] == '"' && string(glob) != `""`
}

// commandLine turns a list of a program and its arguments into a command line.
func commandLine(value json.RawMessage) json.RawMessage {
	var argv []string
	if json.Unmarshal(value, &argv) != nil || len(argv) == 0 {
		return value
	}
	// Only these shells parse a line like the shell that runs commands.
	shell := argv[0][strings.LastIndex(argv[0], "/")+1:]
	if len(argv) == 3 && slices.Contains([]string{"bash", "sh", "zsh"}, shell) && slices.Contains([]string{"-c", "-lc"}, argv[1]) {
		return rawjson.AppendString(nil, argv[2])
	}
	return rawjson.AppendString(nil, cmdline.Join(argv))
}
