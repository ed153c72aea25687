"""How many associations does an attention memory hold, and does theory know?"""
