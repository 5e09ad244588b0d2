package style

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/muesli/termenv"

	"agent/internal/base/lazyregexp"
)

// leastContrast is the smallest contrast between a foreground and its background at which WCAG 2.1
// considers large text and graphical symbols readable.
const leastContrast = 3.0

// ownPalette is the file format of a theme. Omitted colors are taken from the program's palette for the
// same background.
type ownPalette struct {
	// Ground is the background of the terminal for which the theme is made: dark, light or a color.
	Ground                                  string `json:"ground"`
	Red, Magenta, Blue, Yellow, Green, Cyan ownColor
	UserGround                              ownColor
	AddedGround, RemovedGround              ownColor
	AddedWordGround, RemovedWordGround      ownColor
}

// ownColor is a color in a file: one value for all terminals, or one for each number of colors.
type ownColor struct{ Color }

// UnmarshalJSON implements json.Unmarshaler.
func (c *ownColor) UnmarshalJSON(data []byte) error {
	var each struct{ TrueColor, ANSI256, ANSI string }
	one := json.Unmarshal(data, &each.TrueColor) == nil
	if !one {
		var number json.Number
		if one = json.Unmarshal(data, &number) == nil; one {
			each.TrueColor = number.String()
		} else if err := strict(data, &each); err != nil {
			return err
		}
	}
	for _, value := range []string{each.TrueColor, each.ANSI256, each.ANSI} {
		if n, err := strconv.Atoi(value); value != "" && !hexColor.MatchString(value) && (err != nil || n < 0 || n > 255) {
			return fmt.Errorf("%q is not a color. Use #rrggbb, or a palette number from 0 to 255", value)
		}
	}
	if c.Color = Color(each); one {
		c.Color = sameColor(each.TrueColor)
	}
	return nil
}

var hexColor = lazyregexp.New(`^#[0-9a-fA-F]{6}$`)

// sameColor returns a color for all terminals, computed from its value for terminals with the most colors.
func sameColor(full string) Color {
	c := color(full, full, full)
	if hexColor.MatchString(full) {
		rgb := termenv.RGBColor(full)
		c.ANSI256 = fmt.Sprint(int(termenv.ANSI256.Convert(rgb).(termenv.ANSI256Color)))
		c.ANSI = fmt.Sprint(int(termenv.ANSI.Convert(rgb).(termenv.ANSIColor)))
	} else if n, err := strconv.Atoi(full); err == nil && n > 15 {
		c.ANSI = fmt.Sprint(int(termenv.ANSI.Convert(termenv.ANSI256Color(n)).(termenv.ANSIColor)))
	}
	return c
}

// strict reads one JSON object without unknown members.
func strict(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	var another *json.UnmarshalTypeError
	switch {
	case err == nil && decoder.More():
		return errors.New("there is text after the JSON object")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON object is incomplete")
	case errors.As(err, &another) && another.Field == "":
		return fmt.Errorf("expected a JSON object, not a JSON %s", another.Value)
	case errors.As(err, &another):
		return fmt.Errorf("%q cannot be a JSON %s", another.Field, another.Value)
	}
	return err
}

// IsOwnThemeName reports whether a name is allowed for a user's theme.
func IsOwnThemeName(name string) bool {
	return ownName.MatchString(name) && !slices.Contains(Themes(), name)
}

var ownName = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,39}$`)

// ParsePalette reads a theme from the contents of a file. It returns an error that names the first color
// that is hard to read on its background.
func ParsePalette(name string, data []byte) (Palette, error) {
	var own ownPalette
	if err := strict(data, &own); err != nil {
		return Palette{}, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	ground, base := own.Ground, Palettes[0]
	switch {
	case ground == Dark:
		ground = "#1e1e1e"
	case ground == Light:
		ground = "#ffffff"
	case !hexColor.MatchString(ground):
		return Palette{}, errors.New(`"ground" must be the background of the terminal: dark, light or #rrggbb`)
	}
	if isLight(ground) {
		base = Palettes[1]
	}
	p := Palette{Name: name}
	for _, part := range []struct {
		into       *Color
		own, usual Color
	}{
		{&p.Red, own.Red.Color, base.Red},
		{&p.Magenta, own.Magenta.Color, base.Magenta},
		{&p.Blue, own.Blue.Color, base.Blue},
		{&p.Yellow, own.Yellow.Color, base.Yellow},
		{&p.Green, own.Green.Color, base.Green},
		{&p.Cyan, own.Cyan.Color, base.Cyan},
		{&p.UserGround, own.UserGround.Color, base.UserGround},
		{&p.AddedGround, own.AddedGround.Color, base.AddedGround},
		{&p.RemovedGround, own.RemovedGround.Color, base.RemovedGround},
		{&p.AddedWordGround, own.AddedWordGround.Color, base.AddedWordGround},
		{&p.RemovedWordGround, own.RemovedWordGround.Color, base.RemovedWordGround},
	} {
		if *part.into = part.own; part.own == (Color{}) {
			*part.into = part.usual
		}
	}
	return p, p.readable(ground)
}

// readable returns an error that names the first color with too little contrast. It assumes that the
// terminal's default text color is light gray on a dark background, and dark gray on a light background.
func (p Palette) readable(ground string) error {
	plain, terminal := sameColor("#d0d0d0"), sameColor(ground)
	if isLight(ground) {
		plain = sameColor("#303030")
	}
	for _, pair := range []struct {
		text, ground string
		on, below    Color
	}{
		{"red", "ground", p.Red, terminal},
		{"magenta", "ground", p.Magenta, terminal},
		{"blue", "ground", p.Blue, terminal},
		{"yellow", "ground", p.Yellow, terminal},
		{"green", "ground", p.Green, terminal},
		{"cyan", "ground", p.Cyan, terminal},
		{"userGround", "text", p.UserGround, plain},
		{"addedGround", "text", p.AddedGround, plain},
		{"removedGround", "text", p.RemovedGround, plain},
		{"addedWordGround", "text", p.AddedWordGround, plain},
		{"removedWordGround", "text", p.RemovedWordGround, plain},
		{"cyan", "userGround", p.Cyan, p.UserGround},
		{"green", "addedGround", p.Green, p.AddedGround},
		{"red", "removedGround", p.Red, p.RemovedGround},
	} {
		if ratio, known := contrast(pair.on.TrueColor, pair.below.TrueColor); known && ratio < leastContrast {
			return fmt.Errorf("%s %s has a contrast of only %.1f:1 with the %s %s. Use at least 3:1", pair.text, pair.on.TrueColor, ratio, pair.ground, pair.below.TrueColor)
		}
		if ratio, known := contrast(pair.on.ANSI256, pair.below.ANSI256); known && ratio < leastContrast {
			return fmt.Errorf("%s %s (256 colors) has a contrast of only %.1f:1 with the %s %s. Use at least 3:1", pair.text, pair.on.ANSI256, ratio, pair.ground, pair.below.ANSI256)
		}
	}
	return nil
}

// contrast returns the contrast of two colors by WCAG 2.1, from 1 to 21. known is false for the terminal's
// own sixteen colors, which the user chooses.
func contrast(a, b string) (ratio float64, known bool) {
	first, ok := luminance(a)
	second, also := luminance(b)
	return (max(first, second) + 0.05) / (min(first, second) + 0.05), ok && also
}

func luminance(value string) (of float64, known bool) {
	var c termenv.Color = termenv.RGBColor(value)
	if n, err := strconv.Atoi(value); err == nil {
		c = termenv.ANSI256Color(n)
		known = n > 15
	}
	r, g, b := termenv.ConvertToRGB(c).LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b, known || hexColor.MatchString(value)
}

// isLight reports whether dark text is easier to read on a background than light text.
func isLight(ground string) bool {
	const middle = 0.18
	of, _ := luminance(ground)
	return of > middle
}
