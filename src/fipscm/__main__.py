"""`python -m fipscm` is the command `fipscm`."""

from fipscm.cli.main import main

if __name__ == "__main__":
    main()
