// Package manual searches the documentation. It finds pages by their topic. It finds commands,
// settings, keys and sections of pages by the words that users type.
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
	// Name is the path of the file without its extension, such as "how-to/plan-first".
	Name  string
	Title string
	// Text is the Markdown, without comments and pictures.
	Text     string
	Sections []Section
}

// A Section is a part of a page below a heading.
type Section struct {
	Page, Title, Text string
	// also contains further words that users use for the subject.
	also string
}

// isBare reports whether a section has no text below its heading, as on a page that begins with a
// second heading. The text of the next section then belongs to it, because a heading alone is no
// answer.
func (s Section) isBare() bool {
	return !strings.Contains(strings.TrimSpace(omitted.ReplaceAllString(s.Text, "")), "\n")
}

// An Entry is a command, a setting or a key. Also is searched, but not shown.
type Entry struct{ Name, Help, Also string }

var (
	// omitted matches comments and pictures. The program does not contain the pictures.
	omitted  = lazyregexp.New(`(?s)<!--.*?-->\n?|(?m:^!\[[^\n]*\n\n?)`)
	alsoLine = lazyregexp.New(`<!-- also: (.*?) -->`)
)

// Pages reads the Markdown files of a file system. It panics if a file cannot be read, because the
// files are embedded in the program.
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
	p := Page{Name: name, Text: omitted.ReplaceAllString(text, "")}
	inCode := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			inCode = !inCode
		}
		heading := strings.TrimLeft(line, "#")
		if level := len(line) - len(heading); !inCode && (level == 1 || level == 2) {
			title := strings.TrimSpace(heading)
			if last := len(p.Sections) - 1; level == 2 && last == 0 && p.Sections[0].isBare() {
				p.Sections[0].also += " " + title
			} else {
				p.Sections = append(p.Sections, Section{Page: name, Title: title})
			}
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
		s.Text = strings.TrimSpace(omitted.ReplaceAllString(s.Text, ""))
	}
	if len(p.Sections) > 0 {
		p.Title = p.Sections[0].Title
	}
	return p
}

// PageOf returns the page with a name, such as "plan-first" or "how-to/plan-first".
func PageOf(pages []Page, name string) (Page, bool) {
	name = strings.TrimSuffix(strings.ToLower(name), ".md")
	at := slices.IndexFunc(pages, func(p Page) bool { return p.Name == name || path.Base(p.Name) == name })
	if at < 0 {
		return Page{}, false
	}
	return pages[at], true
}

// FindTopic returns the pages with a topic: the page with that name, or the pages with all words in
// their name or title.
func FindTopic(pages []Page, topic string) (found []Page) {
	if page, found := PageOf(pages, topic); found {
		return []Page{page}
	}
	topic = strings.ToLower(topic)
	wanted := strings.FieldsFunc(topic, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, p := range pages {
		have := strings.ToLower(p.Name + " " + p.Title)
		if len(wanted) > 0 && !slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(have, word) }) {
			found = append(found, p)
		}
	}
	return found
}

// Read returns the documentation for a model. For "" it returns the index page. For the name of a
// page it returns the page. Otherwise it returns the section that matches the words best, and the
// names of related pages. prefix is prepended to these names.
func Read(pages []Page, words, prefix string) (text string, found bool) {
	words = strings.TrimSpace(strings.Trim(words, "/"))
	if page, found := PageOf(pages, cmp.Or(words, "readme")); found {
		return page.Text, true
	}
	sections := Search(words, nil, pages).Sections
	for i, section := range sections {
		if i == 0 {
			text = section.Text + "\n\nRead more: " + prefix + section.Page
			continue
		}
		text += "\nSee also: " + prefix + section.Page + " (" + section.Title + ")"
	}
	return text, len(sections) > 0
}

// SearchResult holds the best matches for some words, best first.
type SearchResult struct {
	Entries  []Entry
	Sections []Section
}

const (
	mostEntries  = 5
	mostSections = 4
)

// Search returns the entries and sections that match words best. A match in a name or a title
// counts more than one in a text. Rare words count more than frequent ones. A short text counts
// more than a long one.
func Search(asked string, entries []Entry, pages []Page) SearchResult {
	wanted := stems(asked)
	var sections []Section
	for _, p := range pages {
		sections = append(sections, p.Sections...)
	}
	return SearchResult{
		Entries: best(wanted, mostEntries, entries, func(e Entry) texts { return texts{e.Name, "", e.Help + " " + e.Also, 1} }),
		Sections: best(wanted, mostSections, sections, func(s Section) texts {
			return texts{s.Title, path.Base(s.Page) + s.also, s.Text, s.weight()}
		}),
	}
}

// weight returns the factor by which the score of a section is multiplied. The index page only
// links to other pages, and most reference pages list items that Search returns as entries.
func (s Section) weight() float64 {
	switch dir, _ := path.Split(s.Page); {
	case s.Page == "README":
		return 0
	case dir == "reference/":
		return 0.5
	}
	return 1
}

// texts holds the searched texts of an item: its title, further names and its text. weight is the
// factor by which its score is multiplied.
type texts struct {
	title, names, text string
	weight             float64
}

// best returns the items with the highest scores.
func best[T any](wanted []string, most int, items []T, of func(T) texts) (found []T) {
	type document struct {
		item               T
		title, names, text map[string]int
		words, matched     int
		weight, score      float64
	}
	documents, words := make([]document, len(items)), 0
	frequency := map[string]float64{}
	for i, item := range items {
		t := of(item)
		d := document{item: item, title: counted(t.title), names: counted(t.names), text: counted(t.text), words: len(strings.Fields(t.text)), weight: t.weight}
		words += d.words
		for _, word := range wanted {
			if d.title[word]+d.names[word]+d.text[word] > 0 {
				frequency[word]++
			}
		}
		documents[i] = d
	}
	for i := range documents {
		d := &documents[i]
		inTitle := 0
		for _, word := range wanted {
			if d.title[word]+d.names[word]+d.text[word] == 0 {
				continue
			}
			weight := math.Log(1 + float64(len(items))/frequency[word])
			length := float64(d.words*len(items)) / float64(words+1) // an average text has length 1
			times := float64(d.text[word])
			named := min(1, d.title[word])
			d.score += weight * (float64(4*named+4*min(1, d.names[word])) + 2*times/(times+0.5+length))
			d.matched++
			inTitle += named
		}
		d.score *= d.weight * float64(d.matched*d.matched) * (1 + float64(inTitle)/float64(1+len(d.title)))
	}
	slices.SortStableFunc(documents, func(a, b document) int { return cmp.Compare(b.score, a.score) })
	for _, d := range documents {
		if len(found) < most && d.score > 0 && 3*d.score >= documents[0].score {
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

// idle lists words that do not describe a subject.
var idle = strings.Fields("a an the i my me to in on of for with and or do does did how what where when can could is are it its you your this that want please agent")

// stems returns the words of a text without inflection, so that "sessions" finds "session".
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
