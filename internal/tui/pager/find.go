package pager

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// place is a row of one of the pages.
type place struct{ page, row int }

func (p place) compare(other place) int {
	if p.page != other.page {
		return p.page - other.page
	}
	return p.row - other.row
}

// found is where the latest search is.
type found struct {
	place
	// number of total, from 1; both are 0 where there is none.
	number, total int
	// searched is set when something was looked for and no other key was pressed since.
	searched bool
}

// find is sent to the next or previous row, of all pages, that holds the query, in either
// case. Behind the last one it begins anew.
func (p *Pager) find(direction int) {
	if p.query == "" || p.theme == nil {
		return
	}
	hits := p.hits()
	from := place{p.at, p.top}
	if p.found.number > 0 {
		from = p.found.place
	}
	p.found = found{searched: true}
	if len(hits) == 0 {
		return
	}
	at, exact := slices.BinarySearchFunc(hits, from, place.compare)
	switch {
	case direction < 0:
		at--
	case exact:
		at++
	}
	at = (at + len(hits)) % len(hits)
	p.at, p.top, p.follow = hits[at].page, hits[at].row, false
	p.found = found{place: hits[at], number: at + 1, total: len(hits), searched: true}
}

// hits are the rows of all pages that hold the query.
func (p *Pager) hits() (hits []place) {
	query := strings.ToLower(p.query)
	for i, page := range p.pages() {
		for j, row := range p.rowsOf(page) {
			if strings.Contains(strings.ToLower(ansi.Strip(row)), query) {
				hits = append(hits, place{i, j})
			}
		}
	}
	return hits
}

// rowsOf are the rows of a page as they were laid out last.
func (p *Pager) rowsOf(page Page) (rows []string) {
	for _, row := range page.Lay(p.theme, p.width) {
		rows = append(rows, wrapped(row, p.width)...)
	}
	return rows
}

// says is what the latest search found, for the last line.
func (f found) says() string {
	switch {
	case f.number > 0:
		return fmt.Sprintf(" · hit %d of %d, n N", f.number, f.total)
	case f.searched:
		return " · no hits"
	}
	return ""
}
