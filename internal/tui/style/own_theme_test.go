package style

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParsePalette(t *testing.T) {
	t.Parallel()
	p, err := ParsePalette("sea", []byte(`{"ground":"#0b1e2d","red":"#ff6b6b","blue":{"TrueColor":"#7ab8ff","ANSI256":"111","ANSI":"12"},"userGround":"236"}`))
	if err != nil || p.Name != "sea" || p.Red.TrueColor != "#ff6b6b" || p.Red.ANSI256 == p.Red.TrueColor || p.Blue != color("#7ab8ff", "111", "12") ||
		p.Green != Palettes[0].Green || p.UserGround.ANSI256 != "236" {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := ParsePalette("number", []byte(`{"ground":"dark","red":9}`)); err != nil || p.Red.ANSI256 != "9" {
		t.Errorf("%+v, %v", p.Red, err)
	}
	if p, err := ParsePalette("day", []byte(`{"ground":"light"}`)); err != nil || p.Cyan != Palettes[1].Cyan {
		t.Errorf("%+v, %v", p, err)
	}
	for file, want := range map[string]string{
		`{"ground":"light","yellow":"#e0e0a0"}`:                          "yellow #e0e0a0 has a contrast of only 1.4:1 with the ground #ffffff. Use at least 3:1",
		`{"ground":"dark","blue":"#0000aa"}`:                             "blue #0000aa has a contrast of only 1.3:1 with the ground #1e1e1e. Use",
		`{"ground":"dark","addedGround":"#a0ecb4"}`:                      "addedGround #a0ecb4 has a contrast",
		`{"ground":"dark","green":"#2e8b57","addedGround":"#1e6432"}`:    "green #2e8b57 has a contrast of only 1.7:1 with the addedGround #1e6432",
		`{"ground":"dark","red":{"TrueColor":"#ff8888","ANSI256":"52"}}`: "red 52 (256 colors) has a contrast",
		`{"ground":"dark","red":"reddish"}`:                              `"reddish" is not a color`,
		`{"ground":"dark","red":"256"}`:                                  `"256" is not a color`,
		`{"ground":"dark","rod":"1"}`:                                    `unknown field "rod"`,
		`{"red":"#ff6b6b"}`:                                              `"ground" must be the background`,
		`{`:                                                              "the JSON object is incomplete",
		``:                                                               "the JSON object is incomplete",
		`[]`:                                                             "not a JSON array",
		`{"ground":3}`:                                                   `"ground" cannot be a JSON number`,
		`{"ground":"dark","red":[]}`:                                     "not a JSON array",
		`{"ground":"dark","red":300}`:                                    `"300" is not a color`,
		`{"ground":"dark"} and`:                                          "there is text after the JSON object",
	} {
		if _, err := ParsePalette("x", []byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}

func TestContrast(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#777777", "#ffffff", 4.48}, {"#ffffff", "#777777", 4.48}, {"16", "231", 21}, {"#123456", "#123456", 1}} {
		if got, known := contrast(tt.a, tt.b); !known || math.Abs(got-tt.want) > 0.01 {
			t.Errorf("%s on %s: %.2f, want %.2f", tt.a, tt.b, got, tt.want)
		}
	}
	if _, known := contrast("1", "#ffffff"); known {
		t.Error("the terminal's own red is taken for known")
	}
}

// The program's themes follow the contrast rule for user themes.
func TestOurThemesAreReadable(t *testing.T) {
	t.Parallel()
	for i, ground := range []string{"#1e1e1e", "#ffffff"} {
		if err := Palettes[i].readable(ground); err != nil {
			t.Errorf("%s: %v", Palettes[i].Name, err)
		}
	}
}

// In an accepted theme, every color is readable on its background.
func TestAcceptedThemesAreReadable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hex := func(name string) string { return fmt.Sprintf("#%06x", rapid.IntRange(0, 1<<24-1).Draw(t, name)) }
		ground, cyan, user := hex("ground"), hex("cyan"), hex("user")
		p, err := ParsePalette("x", fmt.Appendf(nil, `{"ground":%q,"cyan":%q,"userGround":%q}`, ground, cyan, user))
		worst := math.Inf(1)
		for _, below := range []string{ground, user} {
			ratio, _ := contrast(cyan, below)
			worst = min(worst, ratio)
		}
		if err == nil && (worst < leastContrast || p.Cyan.TrueColor != cyan) {
			t.Fatalf("%+v is taken, contrast %.2f", p, worst)
		}
	})
}

func TestSampleOfAuto(t *testing.T) {
	t.Parallel()
	theme := NewTheme(TrueColors, Palettes[0])
	theme.Offered = func(name string) Palette {
		return PaletteFor(name, false, Palette{Name: "own", Red: terminalColor("4")})
	}
	auto, light, mine := strings.Join(theme.Sample(Auto), "\n"), strings.Join(theme.Sample(Light), "\n"), strings.Join(theme.Sample("own"), "\n")
	if auto != light || mine == light || mine == strings.Join(theme.Sample(Dark), "\n") {
		t.Error("a sample is not of the theme it names")
	}
}
