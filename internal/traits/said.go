package traits

import (
	"bytes"
	"encoding/json"
	"strings"

	"agent/internal/words"
)

// Words describe a call on the screen: "reading a.go", "read a.go (offset 3)", "read a.go".
type Words struct {
	// Given is the parameter that a call must have for these words to apply; empty for every
	// call.
	Given string
	// Now is the verb for a running call, Done for a finished call, and Do for a call that failed
	// or was refused.
	Now, Done, Do string
	// About is the subject of a call, with {NAME} in place of the values of its parameters.
	// Without it, the subject is the key of the call, its path, and its numbers.
	About string
}

// Say returns the words of a tool whose calls all have the same verbs.
func Say(now, done, do string) []Words { return []Words{{Now: now, Done: done, Do: do}} }

// Said describes a call in words.
type Said struct {
	// Name is the name of the tool.
	Name string
	// Words holds the verbs; a tool that declares none uses its name.
	Words
	// Subject names the object of the call on one line, empty if the call says nothing about it.
	Subject string
	// Key is the whole value of the parameter that distinguishes the call from others.
	Key string
}

// Running describes the call while it runs.
func (s Said) Running() string { return join(s.Now, s.Subject) }

// Ended describes the call after it ran.
func (s Said) Ended() string { return join(s.Done, s.Subject) }

// NotDone describes a call that failed or was refused.
func (s Said) NotDone() string { return join(s.Do, s.Subject) }

// Title describes the call on one line: the tool and its subject.
func (s Said) Title() string { return join(s.Name, s.Subject) }

func join(verb, subject string) string {
	if subject == "" {
		return verb
	}
	return verb + " " + subject
}

// Named describes a call whose arguments are not known.
func (t Traits) Named(name string) Said { return t.Describe(name, nil) }

// Describe describes a call of the tool with that name in words.
func (t Traits) Describe(name string, arguments json.RawMessage) Said {
	said := Said{Name: name, Words: Words{Now: name, Done: name, Do: name}}
	given := parameters(arguments)
	for _, w := range t.Words {
		if _, ok := given.value(w.Given); ok || w.Given == "" {
			said.Words = w
			break
		}
	}
	key, _ := given.value(t.Key)
	said.Key = text(key)
	said.Subject = given.subject(t.Key)
	for _, name := range t.Patch {
		if value, ok := given.value(name); ok {
			said.Subject = words.Headline(strings.Join(patchedFiles(text(value)), ", "))
		}
	}
	if said.About != "" {
		said.Subject = given.fill(said.About)
	}
	return said
}

// patchedFiles returns the files that the headers of a patch name.
func patchedFiles(patch string) []string {
	var files []string
	for line := range strings.Lines(patch) {
		header, file, named := strings.Cut(strings.TrimSpace(line), ":")
		file = strings.TrimSpace(file)
		switch {
		case !named || file == "" || !strings.HasPrefix(line, "***"):
		case header == "*** Move to" && len(files) > 0:
			files[len(files)-1] += " to " + file
		case strings.HasSuffix(header, " File"):
			files = append(files, file)
		}
	}
	return files
}

// fill replaces each {NAME} by the value of the parameter.
func (a arguments) fill(template string) string {
	var values []string
	for _, p := range a {
		values = append(values, "{"+p.name+"}", words.Headline(text(p.value)))
	}
	return strings.NewReplacer(values...).Replace(template)
}

// parameter is one argument of a call.
type parameter struct {
	name  string
	value json.RawMessage
}

type arguments []parameter

// parameters returns the arguments of a call in order, none if they are not a JSON object.
func parameters(raw json.RawMessage) arguments {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	var all arguments
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return all
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return all
		}
		all = append(all, parameter{name.(string), value})
	}
	return all
}

func (a arguments) value(name string) (json.RawMessage, bool) {
	for _, p := range a {
		if p.name == name {
			return p.value, true
		}
	}
	return nil, false
}

// subject returns the parameter that distinguishes the call from others, then its path, then its
// numbers, such as line numbers.
func (a arguments) subject(key string) string {
	about, where := "", ""
	var numbers []string
	for _, p := range a {
		var number json.Number
		switch {
		case p.name == key:
			if about = words.Headline(text(p.value)); p.name == "pattern" && strings.Contains(about, " ") {
				about = `"` + about + `"` // quotes show the end of a pattern with blanks
			}
		case p.name == "symbol":
			if symbol := words.Headline(text(p.value)); symbol != "" {
				where = " " + symbol
			}
		case p.name == "path":
			if path := words.Headline(text(p.value)); path != "" && path != "." {
				where = " in " + path
			}
		case json.Unmarshal(p.value, &number) == nil && p.value[0] != '"' && number != "":
			numbers = append(numbers, p.name+" "+number.String())
		}
	}
	about += where
	if len(numbers) > 0 {
		about += " (" + strings.Join(numbers, ", ") + ")"
	}
	return strings.TrimSpace(about)
}

// text returns a JSON string, the strings of a list joined by commas, or a number.
func text(value json.RawMessage) string {
	var one string
	var several []string
	var number json.Number
	switch {
	case json.Unmarshal(value, &one) == nil:
		return one
	case json.Unmarshal(value, &several) == nil:
		return strings.Join(several, ", ")
	case json.Unmarshal(value, &number) == nil:
		return number.String()
	}
	return ""
}
