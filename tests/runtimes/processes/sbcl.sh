#!/bin/bash
# sbcl
cd "$(dirname "$0")/../files" && sbcl --script list.lisp
