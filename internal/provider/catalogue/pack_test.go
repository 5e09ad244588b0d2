package catalogue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

var (
	from    = flag.String("from", "", "pack the catalogue from this file of JSON")
	vendors = flag.String("vendors", "", "facts of vendors, which win over those of -from")
	day     = flag.String("day", "", "the day of the facts, such as 2026-11-20")
)

// facts are the values of a model in a line.
type facts struct {
	provider, id                   string
	window, maxOutput              *float64
	in, out, cacheRead, cacheWrite *float64
	reasons, images                bool
	efforts                        []string
	steps                          []settings.PriceStep
}

// TestPack writes the catalog from two files of facts:
//
//	go test ./internal/provider/catalogue -run Pack -from FILE -vendors FILE -day 2026-11-20
//
// The first FILE is {"providers":[{"id","models":[{"id","window","maxOutput","in","out",
// "cacheRead","cacheWrite","reasons","images","efforts"}]}]}; numbers are optional. The second is
// {"vendors":[{"id","models":[{"id","window","maxOutput","cost":{"input","output","cacheRead",
// "cacheWrite","tiers":[{"inputTokensAbove",…}]},"reasons","input","efforts"}]}]}.
func TestPack(t *testing.T) {
	if *from == "" || *vendors == "" {
		t.Skip("no -from FILE -vendors FILE")
	}
	var of struct {
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
	readFacts(t, *from, &of)
	var all []facts
	at := map[[2]string]int{}
	for _, p := range of.Providers {
		for _, m := range p.Models {
			if m.ID == "test" {
				continue // a reseller's trial, whose name is the prefix of many others
			}
			cache, err := settled(p.ID, m.ID, m.In, cachePrices{m.CacheRead, m.CacheWrite})
			if err != nil {
				t.Fatal(err)
			}
			at[[2]string{p.ID, m.ID}] = len(all)
			all = append(all, facts{p.ID, m.ID, m.Window, m.MaxOutput, m.In, m.Out, cache.read, cache.write, m.Reasons, m.Images, m.Efforts, nil})
		}
	}
	for _, f := range vendorFacts(t) {
		i, known := at[[2]string{f.provider, f.id}]
		if !known {
			all = append(all, f)
			continue
		}
		// If a vendor's list ends at a price step, it reports the step as the context window.
		if old := all[i].window; old != nil && (f.window == nil || *old > *f.window) {
			f.window = old
		}
		if f.efforts == nil {
			f.efforts = all[i].efforts
		}
		all[i] = f
	}
	inheritSteps(all)
	slices.SortStableFunc(all, func(a, b facts) int { return cmp.Compare(a.provider, b.provider) })
	var file bytes.Buffer
	fmt.Fprintln(&file, "#\t"+*day)
	for _, m := range all {
		cells := []string{m.provider, m.id}
		for _, n := range []*float64{m.window, m.maxOutput, m.in, m.out, m.cacheRead, m.cacheWrite} {
			cells = append(cells, cell(n))
		}
		flags := ""
		if m.reasons {
			flags += "r"
		}
		if m.images {
			flags += "i"
		}
		bound := ""
		if b := vendor.BoundReasoningOf(m.id); b != vendor.BoundNone {
			bound = string(b)
		}
		fmt.Fprintln(&file, strings.Join(append(cells, flags, strings.Join(m.efforts, ","), settings.FormatSteps(m.steps), bound), "\t"))
	}
	if _, dropped, _, err := CleanList(file.String()); err != nil || len(dropped) > 0 {
		t.Fatal(dropped, err)
	}
	if err := os.WriteFile("models.tsv", file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inheritSteps copies the price steps of the maker to resellers with the same base price, because
// they pass on the maker's prices.
func inheritSteps(all []facts) {
	made := map[string]facts{}
	for _, f := range all {
		if slices.Contains(makers, f.provider) && f.steps != nil {
			made[vendor.BaseName(f.id)] = f
		}
	}
	for i, f := range all {
		maker, ok := made[vendor.BaseName(f.id)]
		if ok && f.steps == nil && f.in != nil && f.out != nil && *f.in == *maker.in && *f.out == *maker.out {
			all[i].steps = maker.steps
		}
	}
}

func readFacts(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// vendorNames maps names of the second file to different names of the first.
var vendorNames = map[string]string{"google": "gemini", "moonshotai": "moonshot", "amazon-bedrock": "bedrock", "google-vertex": "vertexai"}

// vendorFacts reads the second file. A cache price of 0 there means no price.
func vendorFacts(t *testing.T) []facts {
	t.Helper()
	type cost struct{ Input, Output, CacheRead, CacheWrite float64 }
	var of struct {
		Vendors []struct {
			ID     string
			Models []struct {
				ID                string
				Window, MaxOutput float64
				Cost              struct {
					cost
					Tiers []struct {
						InputTokensAbove int
						cost
					}
				}
				Reasons bool
				Input   []string
				Efforts map[string]*string
			}
		}
	}
	readFacts(t, *vendors, &of)
	var all []facts
	for _, v := range of.Vendors {
		for _, m := range v.Models {
			f := facts{provider: cmp.Or(vendorNames[v.ID], v.ID), id: m.ID, window: &m.Window, maxOutput: &m.MaxOutput, in: &m.Cost.Input, out: &m.Cost.Output, reasons: m.Reasons, images: slices.Contains(m.Input, "image"), efforts: efforts(m.Efforts)}
			if m.Cost.CacheRead > 0 {
				f.cacheRead = &m.Cost.CacheRead
			}
			if m.Cost.CacheWrite > 0 {
				f.cacheWrite = &m.Cost.CacheWrite
			}
			for _, s := range m.Cost.Tiers {
				f.steps = append(f.steps, settings.PriceStep{Above: s.InputTokensAbove, Input: s.Input, Output: s.Output, CacheRead: cmp.Or(s.CacheRead, s.Input), CacheWrite: cmp.Or(s.CacheWrite, s.Input)})
				if s.InputTokensAbove >= int(m.Window) {
					f.window = nil // the list stops at the step
				}
			}
			all = append(all, f)
		}
	}
	return all
}

// efforts returns the reasoning levels in a vendor's table, or nil if the table is nil. A missing
// entry means low, medium and high.
func efforts(table map[string]*string) []string {
	if table == nil {
		return nil
	}
	var values []string
	for _, level := range []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"} {
		value, listed := table[level]
		switch usual := slices.Contains([]string{"low", "medium", "high"}, level); {
		case value != nil:
			values = append(values, strings.ToLower(*value))
		case !listed && usual:
			values = append(values, level)
		}
	}
	return slices.Compact(values)
}

// cell formats a number for a line. It returns "" for nil.
func cell(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// number parses a cell.
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
