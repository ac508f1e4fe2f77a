
Í
text 1text 2text 3"text 4*text 52text 68BÄ§ß⁄ïöÔ:JÄ§ß⁄ïöÔ:P
Z
atext 2Z
btext 2b
atext 2b
btext 2j$
text 1text 3"text 4*text 508j$
text 1text 3"text 4*text 508rtext 14rtext 14äB
text 1text 2text 3"Ä§ß⁄ïöÔ:2text 6:
	{"any":1}Btext 8äB
text 1text 2text 3"Ä§ß⁄ïöÔ:2text 6:
	{"any":1}Btext 8àì
≈
text 1∫

text 1text 2
text 1
3Mi
text 1text 2 "
text 1text 2 *
text 1text 2text 324
text 1
text 1text 2
text 1text 2 :
text 1text 2BK
text 1text 2"text 4*text 50:text 7:text 7@R
text 1Xbtext 12J
text 1text 2R

text 1ZD
text 1
text 1text 2text 3"text 4*text 52text 6:
text 1@b6
text 1text 2
text 1 *
atext 2*
btext 2j
text 1text 2"
text 1r4
text 1
text 1text 2text 3"text 4*
text 10z
text 1text 2Çp
5
text 1
text 1text 2
text 1text 2
3Mi 
5
text 1
text 1text 2
text 1text 2
3Mi ä,
text 1
text 1text 3 *text 5*text 5í
text 1text 2ö6

text 1
text 1text 2
text 1text 2 ¢ 
text 1text 2text 3"text 4™*
text 1text 2"text 4*text 52text 6≤*
text 1text 2text 3"text 4(2text 6∫
text 1text 2¬
text 1text 2 F
text 1text 2
text 1 *text 52text 6:text 7Btext 8Jtext 9P“Ï
≤
4

text 1
text 1text 2
text 1text 2 n
5
text 1
text 1text 2
text 1text 2
3Mi 
5
text 1
text 1text 2
text 1text 2
3Mi 4

text 1
text 1text 2
text 1text 2 "
text 1text 3*z
text 1text 2^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3"text 4(2D
text 1text 2"text 4*text 52text 6:
atext 2:
btext 2
≤
4

text 1
text 1text 2
text 1text 2 n
5
text 1
text 1text 2
text 1text 2
3Mi 
5
text 1
text 1text 2
text 1text 2
3Mi 4

text 1
text 1text 2
text 1text 2 "
text 1text 3*z
text 1text 2^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3"text 4(2D
text 1text 2"text 4*text 52text 6:
atext 2:
btext 2⁄$
text 1text 2text 3 *
text 1‚6
text 1text 3"
atext 2"
btext 2*
text 1ÍÒ
Ó
Í
text 1text 2text 3"text 4*text 52text 68BÄ§ß⁄ïöÔ:JÄ§ß⁄ïöÔ:P
Z
atext 2Z
btext 2b
atext 2b
btext 2j$
text 1text 3"text 4*text 508j$
text 1text 3"text 4*text 508rtext 14rtext 14äB
text 1text 2text 3"Ä§ß⁄ïöÔ:2text 6:
	{"any":1}Btext 8äB
text 1text 2text 3"Ä§ß⁄ïöÔ:2text 6:
	{"any":1}Btext 8˛
text 1
text 10


a
3Mi


b
3Mi

a
3Mi

b
3Mitext 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3*text 52text 6:
text 1text 2text 3B 
text 1text 2text 3"text 4Jtext 9Ú
text 1text 2
≈
text 1∫

text 1text 2
text 1
3Mi
text 1text 2 "
text 1text 2 *
text 1text 2text 324
text 1
text 1text 2
text 1text 2 :
text 1text 2BK
text 1text 2"text 4*text 50:text 7:text 7@R
text 1Xbtext 12J
text 1text 2R

text 1ZD
text 1
text 1text 2text 3"text 4*text 52text 6:
text 1@b6
text 1text 2
text 1 *
atext 2*
btext 2j
text 1text 2"
text 1r4
text 1
text 1text 2text 3"text 4*
text 10z
text 1text 2Çp
5
text 1
text 1text 2
text 1text 2
3Mi 
5
text 1
text 1text 2
text 1text 2
3Mi ä,
text 1
text 1text 3 *text 5*text 5í
text 1text 2ö6

text 1
text 1text 2
text 1text 2 ¢ 
text 1text 2text 3"text 4™*
text 1text 2"text 4*text 52text 6≤*
text 1text 2text 3"text 4(2text 6∫
text 1text 2¬
text 1text 2 F
text 1text 2
text 1 *text 52text 6:text 7Btext 8Jtext 9P“Ï
≤
4

text 1
text 1text 2
text 1text 2 n
5
text 1
text 1text 2
text 1text 2
3Mi 
5
text 1
text 1text 2
text 1text 2
3Mi 4

text 1
text 1text 2
text 1text 2 "
text 1text 3*z
text 1text 2^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3"text 4(2D
text 1text 2"text 4*text 52text 6:
atext 2:
btext 2
≤
4

text 1
text 1text 2
text 1text 2 n
5
text 1
text 1text 2
text 1text 2
3Mi 
5
text 1
text 1text 2
text 1text 2
3Mi 4

text 1
text 1text 2
text 1text 2 "
text 1text 3*z
text 1text 2^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3"text 4(2D
text 1text 2"text 4*text 52text 6:
atext 2:
btext 2⁄$
text 1text 2text 3 *
text 1‚6
text 1text 3"
atext 2"
btext 2*
text 1ÍÒ
Ó
Í
text 1text 2text 3"text 4*text 52text 68BÄ§ß⁄ïöÔ:JÄ§ß⁄ïöÔ:P
Z
atext 2Z
btext 2b
atext 2b
btext 2j$
text 1text 3"text 4*text 508j$
text 1text 3"text 4*text 508rtext 14rtext 14äB
text 1text 2text 3"Ä§ß⁄ïöÔ:2text 6:
	{"any":1}Btext 8äB
text 1text 2text 3"Ä§ß⁄ïöÔ:2text 6:
	{"any":1}Btext 8˛
text 1
text 10


a
3Mi


b
3Mi

a
3Mi

b
3Mitext 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3*text 52text 6:
text 1text 2text 3B 
text 1text 2text 3"text 4Jtext 9Ú
text 1text 2„
text 1text 2text 3text 3"text 4"text 4*text 52
text 1"text 4*text 52
text 1"text 4*text 5:Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 :Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 BT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2J2
text 1text 3"text 4*text 52text 6:text 7J2
text 1text 3"text 4*text 52text 6:text 7RÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08ZÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08bÏ
p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"text 3jtext 13rtext 14zò
 
text 1
text 1text 2text 2 
text 1text 2text 3"text 4 (08@Jtext 9R
text 1text 2text 3 Z
text 1text 2b
text 1text 2Äàêö$
text 1

text 1

text 1ö$
text 1

text 1

text 1¢text 20™
text 1text 2™
text 1text 2≤Ü
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08∫
text 1text 2∫
text 1text 2¬text 24 
text 1
text 1 
text 1
text 1„
text 1text 2text 3text 3"text 4"text 4*text 52
text 1"text 4*text 52
text 1"text 4*text 5:Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 :Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 BT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2J2
text 1text 3"text 4*text 52text 6:text 7J2
text 1text 3"text 4*text 52text 6:text 7RÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08ZÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08bÏ
p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"text 3jtext 13rtext 14zò
 
text 1
text 1text 2text 2 
text 1text 2text 3"text 4 (08@Jtext 9R
text 1text 2text 3 Z
text 1text 2b
text 1text 2Äàêö$
text 1

text 1

text 1ö$
text 1

text 1

text 1¢text 20™
text 1text 2™
text 1text 2≤Ü
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08∫
text 1text 2∫
text 1text 2¬text 24 
text 1
text 1 
text 1
text 1text 3 (2text 6:
atext 2:
btext 2Btext 8Jtext 9Rtext 10X`hr¨
 
text 1text 2text 3"text 4  (0:
text 1text 2:
text 1text 2B
text 1text 2text 3 Jtext 9R
text 1text 2Z
text 1text 2btext 12jtext 13z
text 1z
text 1Çtext 16ätext 17íÆ
π
ñ
à
 
text 1text 2text 3text 3
 
text 1text 2text 3text 3 
text 1text 2text 3text 3 
text 1text 2text 3text 3
à
 
text 1text 2text 3text 3
 
text 1text 2text 3text 3 
text 1text 2text 3text 3 
text 1text 2text 3text 3çà
 
text 1text 2text 3text 3
 
text 1text 2text 3text 3 
text 1text 2text 3text 3 
text 1text 2text 3text 3çà
 
text 1text 2text 3text 3
 
text 1text 2text 3text 3 
text 1text 2text 3text 3 
text 1text 2text 3text 3ˆ
¯
^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3text 2text 2text 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3*text 5*text 52text 62text 6
¯
^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3text 2text 2text 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3*text 5*text 52text 62text 6˝¯
^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3text 2text 2text 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3*text 5*text 52text 62text 6˝¯
^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3text 2text 2text 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3*text 5*text 52text 62text 6ˆ
¯
^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3text 2text 2text 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3*text 5*text 52text 62text 6
¯
^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3text 2text 2text 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3*text 5*text 52text 62text 6˝¯
^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3text 2text 2text 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3*text 5*text 52text 62text 6˝¯
^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3text 2text 2text 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3*text 5*text 52text 62text 6ötext 19¢„
text 1text 2text 3text 3"text 4"text 4*text 52
text 1"text 4*text 52
text 1"text 4*text 5:Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 :Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 BT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2J2
text 1text 3"text 4*text 52text 6:text 7J2
text 1text 3"text 4*text 52text 6:text 7RÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08ZÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08bÏ
p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"text 3jtext 13rtext 14zò
 
text 1
text 1text 2text 2 
text 1text 2text 3"text 4 (08@Jtext 9R
text 1text 2text 3 Z
text 1text 2b
text 1text 2Äàêö$
text 1

text 1

text 1ö$
text 1

text 1

text 1¢text 20™
text 1text 2™
text 1text 2≤Ü
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08∫
text 1text 2∫
text 1text 2¬text 24 
text 1
text 1 
text 1
text 1¢„
text 1text 2text 3text 3"text 4"text 4*text 52
text 1"text 4*text 52
text 1"text 4*text 5:Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 :Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 BT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2J2
text 1text 3"text 4*text 52text 6:text 7J2
text 1text 3"text 4*text 52text 6:text 7RÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08ZÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08bÏ
p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"text 3jtext 13rtext 14zò
 
text 1
text 1text 2text 2 
text 1text 2text 3"text 4 (08@Jtext 9R
text 1text 2text 3 Z
text 1text 2b
text 1text 2Äàêö$
text 1

text 1

text 1ö$
text 1

text 1

text 1¢text 20™
text 1text 2™
text 1text 2≤Ü
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08∫
text 1text 2∫
text 1text 2¬text 24 
text 1
text 1 
text 1
text 1®≤"
text 1text 2text 3"text 4(≤"
text 1text 2text 3"text 4(∫
text 1text 2text 2∫
text 1text 2text 2¬text 24»“D
text 1
text 1text 2text 2
text 1text 2
text 1text 2ÿ‚
text 1‚
text 1Ítext 29˙text 31Ç

a
3MiÇ

b
3Miäîtext 2text 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3(2text 6:text 7Btext 8Btext 8äîtext 2text 3"^

atext 2

btext 2 
text 1text 2text 3text 3 
text 1text 2text 3text 3(2text 6:text 7Btext 8Btext 8íÓ
„
text 1text 2text 3text 3"text 4"text 4*text 52
text 1"text 4*text 52
text 1"text 4*text 5:Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 :Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 BT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2J2
text 1text 3"text 4*text 52text 6:text 7J2
text 1text 3"text 4*text 52text 6:text 7RÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08ZÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08bÏ
p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"text 3jtext 13rtext 14zò
 
text 1
text 1text 2text 2 
text 1text 2text 3"text 4 (08@Jtext 9R
text 1text 2text 3 Z
text 1text 2b
text 1text 2Äàêö$
text 1

text 1

text 1ö$
text 1

text 1

text 1¢text 20™
text 1text 2™
text 1text 2≤Ü
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08∫
text 1text 2∫
text 1text 2¬text 24 
text 1
text 1 
text 1
text 1text 2íÓ
„
text 1text 2text 3text 3"text 4"text 4*text 52
text 1"text 4*text 52
text 1"text 4*text 5:Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 :Ö
text 1text 2s

text 1text 2
text 1text 2
3Mi

text 1text 2"

text 1text 2*
text 1text 2text 3 BT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2J2
text 1text 3"text 4*text 52text 6:text 7J2
text 1text 3"text 4*text 52text 6:text 7RÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08ZÜ
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08bÏ
p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"p

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"text 3jtext 13rtext 14zò
 
text 1
text 1text 2text 2 
text 1text 2text 3"text 4 (08@Jtext 9R
text 1text 2text 3 Z
text 1text 2b
text 1text 2Äàêö$
text 1

text 1

text 1ö$
text 1

text 1

text 1¢text 20™
text 1text 2™
text 1text 2≤Ü
x

text 1
text 1E
text 1webtext 3"text 4*
text 1text 2*
text 1text 2
webtext 2"
text 2 (08∫
text 1text 2∫
text 1text 2¬text 24 
text 1
text 1 
text 1
text 1text 2ò¢
text 1®≤
text 1≤
text 1∫
text 1text 3"text 4∫
text 1text 3"text 4¬T


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2 text 41⁄
text 1∆
text 1<
text 1text 2Ä§ß⁄ïöÔ:"Ä§ß⁄ïöÔ:*text 52text 68<
text 1text 2Ä§ß⁄ïöÔ:"Ä§ß⁄ïöÔ:*text 52text 68text 3"text 4*text 52text 6:Ä§ß⁄ïöÔ:B´
text 1Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7 (2text 6:text 7Btext 8HR

a
3MiR

b
3MiZT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2b&
text 1text 2"text 4*


text 1b&
text 1text 2"text 4*


text 1j

r<
text 1
text 1text 22text 6
text 1text 22text 6r<
text 1
text 1text 22text 6
text 1text 22text 6ztext 15B´
text 1Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7 (2text 6:text 7Btext 8HR

a
3MiR

b
3MiZT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2b&
text 1text 2"text 4*


text 1b&
text 1text 2"text 4*


text 1j

r<
text 1
text 1text 22text 6
text 1text 22text 6r<
text 1
text 1text 22text 6
text 1text 22text 6ztext 15Jtext 9R´
text 1Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7 (2text 6:text 7Btext 8HR

a
3MiR

b
3MiZT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2b&
text 1text 2"text 4*


text 1b&
text 1text 2"text 4*


text 1j

r<
text 1
text 1text 22text 6
text 1text 22text 6r<
text 1
text 1text 22text 6
text 1text 22text 6ztext 15R´
text 1Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7 (2text 6:text 7Btext 8HR

a
3MiR

b
3MiZT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2b&
text 1text 2"text 4*


text 1b&
text 1text 2"text 4*


text 1j

r<
text 1
text 1text 22text 6
text 1text 22text 6r<
text 1
text 1text 22text 6
text 1text 22text 6ztext 15Ztext 11b
text 1b
text 1j´
text 1Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7 (2text 6:text 7Btext 8HR

a
3MiR

b
3MiZT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2b&
text 1text 2"text 4*


text 1b&
text 1text 2"text 4*


text 1j

r<
text 1
text 1text 22text 6
text 1text 22text 6r<
text 1
text 1text 22text 6
text 1text 22text 6ztext 15j´
text 1Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7Y

text 1text 2
Ä§ß⁄ïöÔ:6text 3"text 4*Ä§ß⁄ïöÔ:2Ä§ß⁄ïöÔ::text 7 (2text 6:text 7Btext 8HR

a
3MiR

b
3MiZT


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2b&
text 1text 2"text 4*


text 1b&
text 1text 2"text 4*


text 1j

r<
text 1
text 1text 22text 6
text 1text 22text 6r<
text 1
text 1text 22text 6
text 1text 22text 6ztext 15rtext 14z
text 1text 2z
text 1text 2Ç
text 1Ç
text 1àí<

text 1text 2text 3

text 1text 2text 3text 2ö

a
3Miö

b
3Mi¢T


a
3Mi


b
3Mi

a
3Mi

b
3Mi
text 1text 2
text 1text 2™0
text 1text 2text 2

a
3Mi

b
3Mi™0
text 1text 2text 2

a
3Mi

b
3Mi