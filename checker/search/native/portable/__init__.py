"""The search of packed states with numpy alone, where no machine code can be compiled."""
