// Package manifest lists the effects of a configured item: everything that determines which
// programs run and which data is sent, unchanged. The approval prompt, the listings and the digest
// of consent all use this list. A user therefore approves exactly what they see.
package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// Role determines which files the text of a part may name.
type Role int

// The roles.
const (
	// RolePlain is a text that names no file.
	RolePlain Role = iota
	// RoleWord is a word of a program's command.
	RoleWord
	// RoleLine is a shell command.
	RoleLine
	// RoleValue is the value of a variable in a program's environment.
	RoleValue
	// RoleFolder is the folder in which a program runs.
	RoleFolder
)

// The names of parts that have the same meaning in all items.
const (
	Command  = "command"
	Argument = "argument"
	// Variable is the name of a variable of the user's environment.
	Variable = "variable"
	// Type is the transport of a server. Address is its URL.
	Type    = "type"
	Address = "url"
	// Rule is a rule that allows calls without approval.
	Rule = "allow"
)

// Part is one effect of an item.
type Part struct {
	Name string `json:"name"`
	// Key distinguishes parts with the same name. It is the name of a variable or of a header.
	Key string `json:"key,omitempty"`
	// Text is the text as written, with variables not replaced by their values.
	Text string `json:"text,omitempty"`
	// Note explains why the part has another effect here, or none.
	Note string `json:"note,omitempty"`
	Role Role   `json:"-"`
	// Means is the text to search for file names. If it is empty, Text is searched.
	Means string `json:"-"`
}

// PathText returns the text to search for file names.
func (p Part) PathText() string {
	if p.Means != "" {
		return p.Means
	}
	return p.Text
}

// List holds the parts of an item in display order.
type List []Part

// Texts returns the texts of the parts with a name.
func (l List) Texts(name string) []string {
	var texts []string
	for _, p := range l {
		if p.Name == name {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// Describe describes all parts to a user. A command shares its line with its arguments, and with its
// environment variables if they fit. Other adjacent parts with the same name also share a line.
func (l List) Describe() []string {
	var lines []string
	for n := 0; n < len(l); n++ {
		p, key := l[n], ""
		if p.Key != "" {
			key = " " + p.Key
		}
		switch {
		case p.Name == Command && p.Role == RoleWord:
			words := []string{quoted(p.Text)}
			for ; n+1 < len(l) && l[n+1].Name == Argument; n++ {
				words = append(words, quoted(l[n+1].Text))
			}
			for ; n+1 < len(l) && l[n+1].Role == RoleValue && fitsBefore(l[n+1], words); n++ {
				words = slices.Insert(words, 0, l[n+1].assignment())
			}
			lines = append(lines, strings.Join(words, " "))
		case p.Name == Type && n+1 < len(l) && l[n+1].Name == Address:
			n++
			lines = append(lines, Address+" ("+p.Text+"): "+l[n].withNote())
		case p.Name == Command:
			lines = append(lines, p.Text)
		case p.Text == "" && p.Key == "":
			lines = append(lines, p.Name)
		case p.Role == RoleValue:
			lines = append(lines, p.Name+key+"="+p.Text)
		default:
			texts := []string{p.withNote()}
			for ; n+1 < len(l) && p.Key == "" && l[n+1].Key == "" && l[n+1].Name == p.Name && p.Role != RoleLine; n++ {
				texts = append(texts, l[n+1].withNote())
			}
			lines = append(lines, p.Name+key+": "+strings.Join(texts, ", "))
		}
	}
	return lines
}

// widest is the greatest length, in bytes, of a command line that begins with variables.
const widest = 72

func fitsBefore(variable Part, words []string) bool {
	length := len(variable.assignment())
	for _, word := range words {
		length += 1 + len(word)
	}
	return length <= widest
}

func (p Part) assignment() string { return p.Key + "=" + quoted(p.Text) }

func (p Part) withNote() string {
	if p.Note == "" {
		return p.Text
	}
	return p.Text + " (" + p.Note + ")"
}

// quotes lists the pairs of quotation marks that quoted tries, in this order.
var quotes = [][2]string{{"'", "'"}, {`"`, `"`}, {"«", "»"}}

// quoted returns a plain word of a command unchanged, and any other word between quotation marks
// that it does not contain. It escapes nothing, so that the user sees every character.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\r\n'\"«»") {
		return word
	}
	for _, q := range quotes {
		if !strings.Contains(word, q[0]) && !strings.Contains(word, q[1]) {
			return q[0] + word + q[1]
		}
	}
	return fmt.Sprintf("[%d characters: %s]", len([]rune(word)), word)
}

// TextsByPlace maps names such as "command", "argument 2" and "env BASH_ENV" to the texts of the parts,
// for a comparison.
func (l List) TextsByPlace() map[string]string {
	all, counts := map[string]string{}, map[string]int{}
	for _, p := range l {
		place := strings.TrimSpace(p.Name + " " + p.Key)
		if counts[place]++; p.Name == Argument || counts[place] > 1 {
			place = fmt.Sprintf("%s %d", place, counts[place])
		}
		all[place] = p.withNote()
	}
	return all
}
