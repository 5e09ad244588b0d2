// Package notebook converts a Jupyter notebook to a text of cells, and an edited text back to the
// notebook. All bytes outside the edited cells stay unchanged: metadata, outputs, execution numbers
// and formatting.
//
// In the text, a line such as "%% cell 2 code" begins each cell. A line such as "%% output of cell
// 2" begins its output, which is shortened and cannot be edited. A line "%% cell markdown", without
// a number, begins a new cell.
package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Notebook is a notebook file in format version 4.
type Notebook struct {
	raw   []byte
	cells []cell
	// body is the span of the list of cells, including its brackets.
	body span
	// mark is the start of the lines that begin cells and outputs. No other line starts with it.
	mark string
	// ids is set if the file's format requires cell IDs.
	ids bool
}

type span struct{ start, end int }

func (s span) of(raw []byte) []byte { return raw[s.start:s.end] }

// A cell is a cell of the file.
type cell struct {
	at span
	// source is the span of the source in the file. If the source is a list, lines has the spans of
	// its items.
	source span
	lines  []span
	list   bool

	kind    string
	text    string
	outputs string
	// newline ends the lines of the source in the file.
	newline string
}

// Parse reads a notebook. The error describes why the file is not a notebook.
func Parse(raw []byte) (*Notebook, error) {
	n := &Notebook{raw: raw, mark: "%%"}
	var version struct {
		Major int `json:"nbformat"`
		Minor int `json:"nbformat_minor"`
	}
	found := false
	err := members(raw, span{0, len(raw)}, func(name string, at span) error {
		if name != "cells" {
			return nil
		}
		n.body, found = at, true
		return items(raw, at, func(at span) error {
			c, err := parseCell(raw, at)
			n.cells = append(n.cells, c)
			return err
		})
	})
	if err == nil {
		err = json.Unmarshal(raw, &version)
	}
	switch {
	case err != nil:
		return nil, err
	case !found || version.Major != 4:
		return nil, errors.New("it is not a notebook of format 4")
	}
	n.ids = version.Minor >= 5
	for n.hasMark() {
		n.mark += "%"
	}
	return n, nil
}

// hasMark reports whether a line of a cell begins with the mark.
func (n *Notebook) hasMark() bool {
	for _, c := range n.cells {
		if strings.Contains("\n"+c.text+"\n"+c.outputs, "\n"+n.mark+" ") {
			return true
		}
	}
	return false
}

func parseCell(raw []byte, at span) (cell, error) {
	c := cell{at: at}
	err := members(raw, at, func(name string, at span) error {
		if name != "source" {
			return nil
		}
		c.source = at
		if c.list = raw[at.start] == '['; !c.list {
			return json.Unmarshal(at.of(raw), &c.text)
		}
		return items(raw, at, func(at span) error {
			var line string
			err := json.Unmarshal(at.of(raw), &line)
			c.lines = append(c.lines, at)
			c.text += line
			return err
		})
	})
	if err != nil {
		return c, err
	}
	var known struct {
		Kind    string   `json:"cell_type"`
		Outputs []output `json:"outputs"`
	}
	if err := json.Unmarshal(at.of(raw), &known); err != nil {
		return c, err
	}
	if c.kind = known.Kind; c.source.end == 0 || c.kind != "code" && c.kind != "markdown" && c.kind != "raw" {
		return c, errors.New("a cell has no source or an unknown cell_type")
	}
	c.newline = "\n"
	if strings.Contains(c.text, "\r\n") {
		c.newline = "\r\n"
	}
	c.text = strings.ReplaceAll(c.text, "\r\n", "\n")
	c.outputs = boundedOutputs(known.Outputs)
	return c, nil
}

// members calls each with the name and the span of every member of an object.
func members(raw []byte, object span, each func(name string, at span) error) error {
	return walk(raw, object, '{', func(d *jsontext.Decoder) (string, error) {
		name, err := d.ReadToken()
		return name.String(), err
	}, each)
}

func items(raw []byte, list span, each func(at span) error) error {
	return walk(raw, list, '[', func(*jsontext.Decoder) (string, error) { return "", nil }, func(_ string, at span) error { return each(at) })
}

// walk calls each with the values of an object or a list. name reads the name before a value.
func walk(raw []byte, of span, kind jsontext.Kind, name func(*jsontext.Decoder) (string, error), each func(name string, at span) error) error {
	d := jsontext.NewDecoder(bytes.NewReader(of.of(raw)))
	begin, err := d.ReadToken()
	if err == nil && begin.Kind() != kind {
		err = fmt.Errorf("the JSON value must begin with %c", kind)
	}
	if err != nil {
		return err
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		called, err := name(d)
		if err != nil {
			return err
		}
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		end := of.start + int(d.InputOffset())
		if err := each(called, span{end - len(value), end}); err != nil {
			return err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("more text follows the end of the JSON")
	}
	return nil
}

// Text returns the notebook as a text.
func (n *Notebook) Text() string {
	var b strings.Builder
	for i, c := range n.cells {
		b.WriteString(n.heading(i) + c.text + "\n" + n.outputsOf(i))
	}
	return b.String()
}

func (n *Notebook) heading(i int) string {
	return fmt.Sprintf("%s cell %d %s\n", n.mark, i+1, n.cells[i].kind)
}

// outputsOf returns the outputs of a cell with their heading, or "" if there are none.
func (n *Notebook) outputsOf(i int) string {
	if n.cells[i].outputs == "" {
		return ""
	}
	return fmt.Sprintf("%s output of cell %d\n%s", n.mark, i+1, n.cells[i].outputs)
}

// CellCount returns the number of cells.
func (n *Notebook) CellCount() int { return len(n.cells) }
