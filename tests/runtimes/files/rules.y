%token NUMBER
%left '+'
%%
sum: NUMBER | sum '+' sum ;
%%
