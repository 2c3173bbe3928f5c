# The picks of the files part-* in shards.tsv, byte for byte those of one file with all their lines:
#   split --number=l/3 --numeric-suffixes pool.txt part-
#   make -f shards.mk -j OPTIONS="--budget 1000w"
# Each step of a part is a target. One that is killed leaves no half of a file, and is made again.
PARTS := $(sort $(wildcard part-??))
ROWS := $(shell cat $(PARTS) | wc -l)
EXCHANGE := 1
ALCORE := alcore
.SECONDARY:

# The last exchange has no message: the picks are there.
shards.tsv: exchange-$(EXCHANGE)
	[ ! -e $< ] || $(MAKE) -f $(firstword $(MAKEFILE_LIST)) EXCHANGE=$$(($(EXCHANGE) + 1)) MESSAGES="$(MESSAGES) $<" $@

exchange-$(EXCHANGE): $(PARTS:=.$(EXCHANGE))
	rm -f $@
	[ ! -e $< ] || $(ALCORE) fold $^ --out $@

# The first row of a part is the number of lines of the parts before it.
%.$(EXCHANGE): % $(MESSAGES)
	rm -f $@
	first=$$(for part in $(PARTS); do [ $$part != $< ] || break; cat $$part; done | wc -l); \
	$(ALCORE) select $< $(OPTIONS) --shard $$first/$(ROWS) $(addprefix --message ,$(MESSAGES)) --next $@ --out shards.tsv
