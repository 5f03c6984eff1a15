/* Three processes that share a binary semaphore, written by hand. */
bool taken;

active [3] proctype Customer()
{
	do
	:: true;
waiting:   atomic { !taken -> taken = true };
critical:  taken = false
	od
}

ltl one_holds_the_semaphore { [] !(Customer[0]@critical && Customer[1]@critical) }
ltl semaphore_lets_in { [] (Customer[0]@waiting -> <> Customer[0]@critical) }
