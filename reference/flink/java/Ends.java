/** An operator that hears of the end of its data: `finish` is a part of every operator. */
interface Ends {}
