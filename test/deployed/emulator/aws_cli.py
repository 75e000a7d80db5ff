"""Runs the AWS CLI for CDK's function of a BucketDeployment, at whose end emulated-app.ts adds this file.

Everything else in that function runs as CDK has written it, with the AWS CLI of CDK's own layer. Differences from AWS:

- Lambda has the files of a layer in /opt. The emulator has them in a folder of its own.
- Lambda runs Python 3.13 without a table of file types of the operating system. The emulator runs the Python of this
  machine. Before Python 3.12 the type of JavaScript was another one.
- The emulator has boto3 from .ci/python/emulator.txt, not from Lambda.
"""

import sys

AWS_CLI = """
import mimetypes, os, sys
mimetypes.knownfiles.clear()
mimetypes.add_type("text/javascript", ".js")
sys.path.insert(0, os.path.join(os.environ["_LAMBDA_LAYERS_DIRS"], "awscli"))
import awscli.clidriver
sys.exit(awscli.clidriver.main())
"""


def aws_command(*args):
    """Takes the place of CDK's function of this name, which runs /opt/awscli/aws."""
    subprocess.check_call([sys.executable, "-c", AWS_CLI, *args])
