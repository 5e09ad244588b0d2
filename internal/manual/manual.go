// Package manual finds answers in the documentation: pages by their topic, and commands, settings,
// keys and sections of pages by the words that people type.
package manual

import (
	"cmp"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"agent/internal/base/lazyregexp"
)

// A Page is a Markdown file of the documentation.
type Page struct {
	// Name is the path of the file without its ending, such as "how-to/plan-first".
	Name  string
	Title string
	// Text is the Markdown, without comments.
	Text     string
	Sections []Section
}

// A Section is a part of a page below a heading.
type Section struct {
	Page, Title, Text string
	// also holds further words that people use for the subject.
	also string
}

// An Entry is a command, a setting or a key.
type Entry struct{ Name, Help string }

var (
	comments = lazyregexp.New(`(?s)<!--.*?-->\n?`)
	alsoLine = lazyregexp.New(`<!-- also: (.*?) -->`)
)

// Pages reads the Markdown files of a file system. It panics if a file cannot be read, because the
// files are part of the program.
func Pages(files fs.FS) (pages []Page) {
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, file)
		if err == nil {
			pages = append(pages, newPage(strings.TrimSuffix(file, ".md"), string(text)))
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	return pages
}

func newPage(name, text string) Page {
	p := Page{Name: name, Text: comments.ReplaceAllString(text, "")}
	inCode := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
		}
		heading := strings.TrimLeft(line, "#")
		if level := len(line) - len(heading); !inCode && (level == 1 || level == 2) {
			p.Sections = append(p.Sections, Section{Page: name, Title: strings.TrimSpace(heading)})
		}
		if last := len(p.Sections) - 1; last >= 0 {
			p.Sections[last].Text += line
		}
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		for _, found := range alsoLine.FindAllStringSubmatch(s.Text, -1) {
			s.also += " " + found[1]
		}
		s.Text = strings.TrimSpace(comments.ReplaceAllString(s.Text, ""))
	}
	if len(p.Sections) > 0 {
		p.Title = p.Sections[0].Title
	}
	return p
}

// Topic returns the pages with a topic: the page with that name, or the pages whose name or title
// holds all words.
func Topic(pages []Page, topic string) (found []Page) {
	topic = strings.TrimSuffix(strings.ToLower(topic), ".md")
	wanted := strings.FieldsFunc(topic, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, p := range pages {
		if p.Name == topic || path.Base(p.Name) == topic {
			return []Page{p}
		}
		have := strings.ToLower(p.Name + " " + p.Title)
		if len(wanted) > 0 && !slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(have, word) }) {
			found = append(found, p)
		}
	}
	return found
}

// Answer holds the best entries and sections for some words, best first.
type Answer struct {
	Entries  []Entry
	Sections []Section
}

const (
	mostEntries  = 5
	mostSections = 4
)

// Search returns the entries and sections that match words best. A match in a name or a title
// counts more than one in a text, and rare words count more than frequent ones.
func Search(asked string, entries []Entry, pages []Page) Answer {
	wanted := stems(asked)
	var sections []Section
	for _, p := range pages {
		sections = append(sections, p.Sections...)
	}
	return Answer{
		Entries: best(wanted, mostEntries, entries, func(e Entry) (string, string) { return e.Name, e.Help }),
		Sections: best(wanted, mostSections, sections, func(s Section) (string, string) {
			return s.Title + " " + strings.ReplaceAll(path.Base(s.Page), "-", " ") + s.also, s.Text
		}),
	}
}

// best returns the items with the highest scores. parts returns the name and the text of an item.
func best[T any](wanted []string, most int, items []T, parts func(T) (name, text string)) (found []T) {
	type document struct {
		item       T
		name, text map[string]int
		score      float64
		matched    int
	}
	documents := make([]document, len(items))
	frequency := map[string]float64{}
	for i, item := range items {
		name, text := parts(item)
		d := document{item: item, name: counted(name), text: counted(text)}
		for _, word := range wanted {
			if d.name[word]+d.text[word] > 0 {
				frequency[word]++
			}
		}
		documents[i] = d
	}
	for i := range documents {
		d := &documents[i]
		for _, word := range wanted {
			if d.name[word]+d.text[word] == 0 {
				continue
			}
			weight := math.Log(1 + float64(len(items))/frequency[word])
			d.score += weight * (6*float64(min(1, d.name[word])) + math.Log(1+float64(d.text[word])))
			d.matched++
		}
		d.score *= float64(d.matched * d.matched)
	}
	slices.SortStableFunc(documents, func(a, b document) int { return cmp.Compare(b.score, a.score) })
	for _, d := range documents {
		if len(found) < most && d.matched > 0 && 3*d.score >= documents[0].score {
			found = append(found, d.item)
		}
	}
	return found
}

func counted(text string) map[string]int {
	count := map[string]int{}
	for _, word := range stems(text) {
		count[word]++
	}
	return count
}

// idle words say nothing about a subject.
var idle = strings.Fields("a an the i my me to in on of for with and or do does did how what where when can could is are it its you your this that want please agent")

// stems returns the words of a text without endings, so that "sessions" finds "session".
func stems(text string) (words []string) {
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(text), split) {
		if slices.Contains(idle, word) {
			continue
		}
		for _, ending := range []string{"ing", "ed", "s", "e"} {
			if stem, cut := strings.CutSuffix(word, ending); cut && len(stem) >= 3 && !strings.HasSuffix(stem, "s") {
				word = stem
				break
			}
		}
		words = append(words, word)
	}
	return words
}
