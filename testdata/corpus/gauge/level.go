// Package gauge turns the raw pressure of a probe into a water level and says when a level is an alert.
package gauge

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Quality says how far a reading can be trusted.
type Quality int

// The qualities, worst last.
const (
	Good       Quality = iota
	LowBattery         // below 11.2 V the probe drifts by up to 4 cm
	Frozen             // the same value for 30 minutes
	Lost               // no reading
)

// lowBattery is the voltage below which a probe drifts. It was measured on 14 probes in the cold room in November 2025.
const lowBattery = 11.2

// A Reading is what a gauge sends once a minute.
type Reading struct {
	Station  string
	TakenAt  time.Time // UTC
	Pressure float64   // hPa, water and air
	Battery  float64   // V
}

// A Station is a gauge at its place.
type Station struct {
	Name   string
	Zero   float64    // m above sea level of the probe
	Offset float64    // m, from the last calibration
	Alert  [4]float64 // m, the levels from which alert 1 to 4 hold; 0 where there is none
}

// ErrFuture is returned for a reading that claims to be from more than two minutes ahead: the clock of the gauge is wrong.
var ErrFuture = errors.New("reading is from the future")

// Level gives the water level in metres above the probe, corrected by the air pressure and the station's offset.
func (s *Station) Level(r Reading, air float64) (float64, Quality, error) {
	if time.Until(r.TakenAt) > 2*time.Minute {
		return 0, Lost, fmt.Errorf("station %s at %s: %w", s.Name, r.TakenAt.Format(time.RFC3339), ErrFuture)
	}
	const hPaPerMetre = 98.0665
	level := (r.Pressure-air)/hPaPerMetre + s.Offset
	if math.IsNaN(level) || level < -0.5 {
		return 0, Lost, nil // the probe hangs in the air
	}
	if r.Battery < lowBattery {
		return level, LowBattery, nil
	}
	return level, Good, nil
}

// AlertLevel gives the highest alert, from 1 to 4, that a level reaches, or 0.
func (s *Station) AlertLevel(level float64) int {
	for i := len(s.Alert) - 1; i >= 0; i-- {
		if s.Alert[i] > 0 && level >= s.Alert[i] {
			return i + 1
		}
	}
	return 0
}

// CleanName cuts a station name at its first NUL. The firmware of the R-09 pads names to 16 bytes, and PostgreSQL refuses NUL in text.
func CleanName(name string) string {
	for i := range len(name) {
		if name[i] == '\x00' {
			return name[:i]
		}
	}
	return name
}

// isFrozen reports whether the last 30 readings are all the same, which ice around the probe does.
func isFrozen(levels []float64) bool {
	if len(levels) < 30 {
		return false
	}
	last := levels[len(levels)-30:]
	for _, l := range last {
		if l != last[0] {
			return false
		}
	}
	return true
}
