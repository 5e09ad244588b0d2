package catalogue

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

var from = flag.String("from", "", "pack the catalogue from this file of JSON")

// TestPack writes the catalogue from a file of facts:
//
//	go test ./internal/provider/catalogue -run Pack -from FILE
//
// FILE is {"providers":[{"id","models":[{"id","window","maxOutput","in","out",
// "cacheRead","cacheWrite","reasons","images","efforts"}]}]}; numbers may be left
// out.
func TestPack(t *testing.T) {
	if *from == "" {
		t.Skip("no -from FILE")
	}
	data, err := os.ReadFile(*from)
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		Providers []struct {
			ID     string
			Models []struct {
				ID                             string
				Window, MaxOutput              *float64
				In, Out, CacheRead, CacheWrite *float64
				Reasons, Images                bool
				Efforts                        []string
			}
		}
	}
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	for _, p := range facts.Providers {
		for _, m := range p.Models {
			cache, err := settled(p.ID, m.ID, m.In, cachePrices{m.CacheRead, m.CacheWrite})
			if err != nil {
				t.Fatal(err)
			}
			cells := []string{p.ID, m.ID}
			for _, n := range []*float64{m.Window, m.MaxOutput, m.In, m.Out, cache.read, cache.write} {
				cells = append(cells, cell(n))
			}
			flags := ""
			if m.Reasons {
				flags += "r"
			}
			if m.Images {
				flags += "i"
			}
			fmt.Fprintln(&file, strings.Join(append(cells, flags, strings.Join(m.Efforts, ",")), "\t"))
		}
	}
	if err := os.WriteFile("models.tsv", file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// cell returns a number as a line has it, "" for one that is not known.
func cell(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// number reads a cell.
func number(t *testing.T, cell string) *float64 {
	t.Helper()
	if cell == "" {
		return nil
	}
	n, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return &n
}
