
ê
text 1text 2text 3"text 4*text 52text 68B€¤§Ú•šï:J€¤§Ú•šï:P
Z
atext 2Z
btext 2b
atext 2b
btext 2j$
text 1text 3"text 4*text 508j$
text 1text 3"text 4*text 508rtext 14rtext 14ŠB
text 1text 2text 3"€¤§Ú•šï:2text 6:
	{"any":1}Btext 8ŠB
text 1text 2text 3"€¤§Ú•šï:2text 6:
	{"any":1}Btext 8¤
text 1text 2text 3 *%
text 1text 2text 3"€¤§Ú•šï:*%
text 1text 2text 3"€¤§Ú•šï:2*(
text 1text 2text 3"text 4*text 5:text 7:text 7Ò


a
3Mi


b
3Mi

a
3Mi

b
3Mitext 3":
text 1text 2€¤§Ú•šï:"€¤§Ú•šï:*text 52text 6":
text 1text 2€¤§Ú•šï:"€¤§Ú•šï:*text 52text 6*
text 1text 2*
text 1text 22
:U
text 1text 2text 3"text 4*text 52text 6:text 7Btext 8Jtext 9Rtext 10ZB
text 1
text 1B
text 1
text 1Jtext 9Jtext 9R
text 1text 2R
text 1text 2ZŒ
*(
text 1text 2text 3"text 4*text 5*(
text 1text 2text 3"text 4*text 5*(
text 1text 2text 3"text 4*text 5"text 4b
text 1b
text 1jrtext 14rtext 14