// Package remote opens objects of HTTP servers (https://, http://) and of S3-compatible stores
// (s3://bucket/key) as inputs of package thresh.
//
// An object is read by ranges, several at once. The first answer tells its size and its version: an ETag, or
// the time of its last change. Every range asks for that version, and every answer is compared with it, so that
// an object that is replaced meanwhile is an error and never a mixture. Lengths and offsets of all answers are
// checked. Requests that fail are repeated, from where they broke off. A server that knows no ranges, or no
// versions, sends its content once and in order.
//
// The way of a request:
//
//	Client.Open ──> first range ──> Object ──> ReadRange ──> request ──> attempt, again after a pause
//	                size, version              rangeReader    signed       checked
package remote
