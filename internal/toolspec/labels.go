package toolspec

import (
	"strings"

	"agent/internal/base/arguments"
	"agent/internal/base/humanize"
	"agent/internal/text/patch"
)

// Verbs contains the words that describe a call on the screen: "reading a.go", "read a.go (offset
// 3)", "read a.go".
type Verbs struct {
	// Given is the parameter that a call must have for these words to apply; empty if they apply to
	// every call.
	Given string
	// Now is the verb for a running call, Done for a finished call, and Do for a call that failed
	// or was refused.
	Now, Done, Do string
	// Declined is the verb for a call whose proposal the user declined. It is empty for most tools.
	Declined string
	// About is the subject of a call, with {NAME} for the value of the parameter NAME. Without it,
	// the subject is the key of the call, its path, and its numbers.
	About string
}

// SameVerbs returns the Words of a tool whose calls all have the same verbs.
func SameVerbs(now, done, do string) []Verbs { return []Verbs{{Now: now, Done: done, Do: do}} }

// Label describes a call for a user.
type Label struct {
	// Name is the name of the tool.
	Name string
	// Verbs contains the verbs. A tool that declares none uses its name.
	Verbs
	// Subject names the object of the call on one line. It is empty if the call names none.
	Subject string
	// Key is the whole value of the parameter that distinguishes the call from others.
	Key string
}

// Progressive describes the call while it runs.
func (s Label) Progressive() string { return join(s.Now, s.Subject) }

// PastTense describes the call after it ran.
func (s Label) PastTense() string { return join(s.Done, s.Subject) }

// NotDone describes a call that failed or was refused.
func (s Label) NotDone() string { return join(s.Do, s.Subject) }

// DeclinedText describes a call whose proposal the user declined: "not kept: the tests need a
// database".
func (s Label) DeclinedText() string { return join(s.Verbs.Declined+":", s.Subject) }

// Title describes the call on one line: the tool and its subject.
func (s Label) Title() string { return join(s.Name, s.Subject) }

func join(verb, subject string) string {
	if subject == "" {
		return verb
	}
	return verb + " " + subject
}

// DescribeName returns the Label of a call whose arguments are unknown.
func (t Traits) DescribeName(name string) Label { return t.Describe(name, arguments.Arguments{}) }

// Describe returns the Label of a call of the tool with a name.
func (t Traits) Describe(name string, given arguments.Arguments) Label {
	said := Label{Name: name, Verbs: Verbs{Now: name, Done: name, Do: name}}
	for _, w := range t.Words {
		if _, ok := given.Value(w.Given); ok || w.Given == "" {
			said.Verbs = w
			break
		}
	}
	said.Key = text(given, t.Key)
	said.Subject = subject(t.Key, given)
	for _, name := range t.Patch {
		if _, ok := given.Value(name); ok {
			said.Subject = humanize.Headline(strings.Join(patch.Headers(text(given, name)), ", "))
		}
	}
	if said.About != "" {
		said.Subject = fill(said.About, given)
	}
	return said
}

func fill(template string, given arguments.Arguments) string {
	var values []string
	for name := range given.All() {
		values = append(values, "{"+name+"}", humanize.Headline(text(given, name)))
	}
	return strings.NewReplacer(values...).Replace(template)
}

// subject returns the parameter that distinguishes the call from others, then its path, then its
// numbers, such as line numbers.
func subject(key string, given arguments.Arguments) string {
	about, where := "", ""
	var numbers []string
	for name, raw := range given.All() {
		switch {
		case name == key:
			if about = humanize.Headline(text(given, name)); name == "pattern" && strings.Contains(about, " ") {
				about = `"` + about + `"` // quotes show the end of a pattern that ends in a blank
			}
		case name == "symbol":
			if symbol := humanize.Headline(text(given, name)); symbol != "" {
				where = " " + symbol
			}
		case name == "path":
			if path := humanize.Headline(text(given, name)); path != "" && path != "." {
				where = " in " + path
			}
		case strings.IndexByte("-0123456789", raw[0]) >= 0:
			numbers = append(numbers, name+" "+string(raw))
		}
	}
	about += where
	if len(numbers) > 0 {
		about += " (" + strings.Join(numbers, ", ") + ")"
	}
	return strings.TrimSpace(about)
}

// text returns an argument that is a text, the texts of a list joined by commas, or a number.
func text(given arguments.Arguments, name string) string {
	value, _ := given.Arg(name)
	switch value := value.(type) {
	case string:
		return value
	case []any:
		texts := make([]string, len(value))
		for i, item := range value {
			one, is := item.(string)
			if !is {
				return ""
			}
			texts[i] = one
		}
		return strings.Join(texts, ", ")
	case float64:
		raw, _ := given.Value(name) // raw contains all digits of a number
		return string(raw)
	}
	return ""
}
