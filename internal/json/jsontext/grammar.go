package jsontext

// state is what the grammar waits for. A string, number or literal has done its step in the
// grammar when it begins.
type state uint8

const (
	top         state = iota // the only value of the text
	topDone                  // nothing more
	firstTop                 // the first of several values
	manyTops                 // another value, or the end of the text
	arrayFirst               // a value or the end of an array that has begun
	arrayValue               // a value behind a comma
	arrayNext                // a comma or the end of an array
	objectName1              // a name or the end of an object that has begun
	objectName               // a name behind a comma
	objectColon              // a colon
	objectValue              // a value behind a colon
	objectNext               // a comma or the end of an object
	states
)

// move is what a byte does that a word begins with: what else there is to do, in the upper
// half, and the next state, in the lower one.
type move = uint8

const (
	stepOnly  move = iota << 4 // also for a string
	beginWord                  // a number or literal
	beginObject
	beginArray
	endNested // the state behind it is the one of what it was in
	refused

	stateBits = 0x0f
)

// movesTable says for each state and byte what follows. White space moves nothing.
func movesTable() (m [states][256]move) {
	for s := range m {
		for c := range m[s] {
			m[s][c] = refused
		}
		for _, c := range " \t\n\r" {
			m[s][c] = stepOnly | move(s)
		}
	}
	for s, then := range map[state]state{
		top: topDone, firstTop: manyTops, manyTops: manyTops,
		arrayFirst: arrayNext, arrayValue: arrayNext, objectValue: objectNext,
	} {
		for _, c := range "-0123456789tfn" {
			m[s][c] = beginWord | move(then)
		}
		m[s]['"'] = stepOnly | move(then)
		m[s]['{'], m[s]['['] = beginObject, beginArray
	}
	m[objectName1]['"'] = stepOnly | move(objectColon)
	m[objectName]['"'] = stepOnly | move(objectColon)
	m[objectColon][':'] = stepOnly | move(objectValue)
	m[objectNext][','] = stepOnly | move(objectName)
	m[arrayNext][','] = stepOnly | move(arrayValue)
	m[objectName1]['}'], m[objectNext]['}'] = endNested, endNested
	m[arrayFirst][']'], m[arrayNext][']'] = endNested, endNested
	return m
}

// literals are the words that begin with a byte.
var literals = [256]string{'t': "true", 'f': "false", 'n': "null"}

// ends says which bytes end a number or literal: white space and what has a meaning of its own.
// Whether the grammar allows them there is another question.
var ends = func() (is [256]bool) {
	for _, c := range " \t\n\r{}[]:,\"" {
		is[c] = true
	}
	return is
}()
