package pager

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

type place struct{ page, row int }

func (p place) compare(other place) int {
	if p.page != other.page {
		return p.page - other.page
	}
	return p.row - other.row
}

// find scrolls to the next or previous row of all pages that contains the query, ignoring case. After the
// last row it continues with the first.
func (p *Pager) find(direction int) {
	if p.query == "" || p.theme == nil {
		return
	}
	hits := p.hits()
	from := place{p.at, p.top}
	if p.hit != nil {
		from = *p.hit
	}
	p.hit, p.found = nil, " · no matches"
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
	p.hit, p.found = &hits[at], fmt.Sprintf(" · match %d of %d, n N", at+1, len(hits))
	p.at, p.key, p.top, p.follow = p.hit.page, "", p.hit.row, false
}

// hits returns the rows of all pages that contain the query.
func (p *Pager) hits() (hits []place) {
	query := strings.ToLower(p.query)
	for i, page := range p.present() {
		for j, row := range p.rowsOf(page) {
			if strings.Contains(strings.ToLower(ansi.Strip(row)), query) {
				hits = append(hits, place{i, j})
			}
		}
	}
	return hits
}

func (p *Pager) rowsOf(page Page) (rows []string) {
	for _, row := range page.Layout(p.theme, p.width) {
		rows = append(rows, wrapped(row, p.width)...)
	}
	return rows
}
