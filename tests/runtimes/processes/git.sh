#!/bin/bash
# git
cd /tmp || exit
export GIT_AUTHOR_DATE='2024-01-01 00:00 +0000' GIT_COMMITTER_DATE='2024-01-01 00:00 +0000' GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
dir=git-work-$$
git init -q -b main $dir && cd $dir || exit
seq 1 200 >numbers && git add numbers && git commit -q -m one
sed -i s/^7$/seven/ numbers && git commit -q -a -m two
git log --format='%h %s' && git diff --stat HEAD~1
cd .. && git clone -q --local $dir $dir.clone && git -C $dir.clone log --oneline | wc -l
git -C $dir.clone fsck --no-progress && git -C $dir gc -q && git -C $dir count-objects -v | grep -E '^(in-pack|count)'
rm -rf $dir $dir.clone
