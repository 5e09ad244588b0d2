package sessionnotes

import (
	"time"

	"agent/internal/extend/setup/consent"
	"agent/internal/extend/setup/manifest"
	"agent/internal/notes"
	"agent/internal/settings"
)

// ConsentItems returns the notes of the repository as an item for consent, or nil if there are none or notes
// are off.
func ConsentItems(s *settings.Settings, book *notes.Book) []consent.Item {
	if book == nil || settings.Notes.Value(s) == "off" {
		return nil
	}
	if _, text, _ := book.Shared(); text != "" {
		return []consent.Item{sharedItem(book, text)}
	}
	return nil
}

func sharedItem(book *notes.Book, text string) consent.Item {
	return consent.Item{Kind: consent.KindNotes, Name: "for everybody", File: book.File(notes.ScopeShared), Effects: manifest.List{{Name: "text", Text: text}}}
}

// CheckShared returns the notes of the repository. They are proposals until the user approves the current
// content of their file. The file is added to trust as an item.
func CheckShared(book *notes.Book, trust *consent.Trust, checker *notes.Checker, now func() time.Time) (states []notes.State, problems []string) {
	all, text, problems := book.Shared()
	if text == "" {
		return nil, problems
	}
	item := sharedItem(book, text)
	trust.Add(item)
	agreed := trust.Store.Check(item) == nil
	for i := range all {
		all[i].Proposed = all[i].Proposed || !agreed
	}
	return checker.Check(all, now), problems
}
