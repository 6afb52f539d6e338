package ecmascript

import (
	"strings"
	"unicode"
)

// property returns the set of characters of \p{text}; ok is false for an unsupported property.
func property(text string) (s set, ok bool) {
	name, value, hasValue := strings.Cut(text, "=")
	var table *unicode.RangeTable
	switch {
	case name == "Script" || name == "sc":
		table = unicode.Scripts[value]
	case name == "General_Category" || name == "gc":
		table = category(value)
	case hasValue:
		return nil, false
	default:
		if table = category(name); table == nil {
			return binaryProperty(name)
		}
	}
	if table == nil {
		return nil, false
	}
	return tableSet(table), true
}

// category returns the table of a general category by its short or long name, nil if there is none.
func category(name string) *unicode.RangeTable {
	if short, ok := unicode.CategoryAliases[name]; ok {
		name = short
	}
	return unicode.Categories[name]
}

// binaryProperty returns the set of a binary property. Package unicode has the tables of
// PropList.txt; the others are derived from them as specified in DerivedCoreProperties.txt.
func binaryProperty(name string) (s set, ok bool) {
	switch name {
	case "Any":
		return all, true
	case "ASCII":
		return set{0, unicode.MaxASCII}, true
	case "Assigned":
		return tableSet(unicode.Cn).complement(), true
	case "Alphabetic":
		return tableSet(unicode.L, unicode.Nl, unicode.Other_Lowercase, unicode.Other_Uppercase, unicode.Other_Alphabetic), true
	case "Lowercase":
		return tableSet(unicode.Ll, unicode.Other_Lowercase), true
	case "Uppercase":
		return tableSet(unicode.Lu, unicode.Other_Uppercase), true
	case "Cased":
		return tableSet(unicode.LC, unicode.Other_Lowercase, unicode.Other_Uppercase), true
	case "Math":
		return tableSet(unicode.Sm, unicode.Other_Math), true
	case "ID_Start":
		return identifiers(unicode.L, unicode.Nl, unicode.Other_ID_Start), true
	case "ID_Continue":
		return identifiers(unicode.L, unicode.Nl, unicode.Other_ID_Start, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue), true
	case "STerm", "Hyphen", "Prepended_Concatenation_Mark":
		return nil, false // not in ECMA-262
	}
	table := unicode.Properties[name]
	if table == nil || strings.HasPrefix(name, "Other_") {
		return nil, false
	}
	return tableSet(table), true
}

// identifiers returns the union of the tables without pattern syntax and white space.
func identifiers(tables ...*unicode.RangeTable) set {
	others := tableSet(tables...).complement()
	return union(others, tableSet(unicode.Pattern_Syntax, unicode.Pattern_White_Space)).complement()
}
