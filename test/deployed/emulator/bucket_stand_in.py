"""Does on the emulator what CDK's function of a BucketDeployment does on AWS, with the same properties: it uploads files, and
removes them before their bucket is deleted. That function uses the AWS CLI and boto3. The emulator has neither, so the
function itself is not tested, nor the types of the files, which the AWS CLI guesses from their names."""

import io
import json
import os
import re
import urllib.request
import zipfile
from itertools import zip_longest


def handler(event, _context):
    try:
        (empty if event["RequestType"] == "Delete" else upload)(event["ResourceProperties"])
        outcome = {"Status": "SUCCESS"}
    except Exception as error:
        outcome = {"Status": "FAILED", "Reason": str(error)}
    body = {**event, "PhysicalResourceId": event["LogicalResourceId"], **outcome}
    send("PUT", event["ResponseURL"], json.dumps(body).encode())


def upload(properties):
    names = ("SourceBucketNames", "SourceObjectKeys", "SourceMarkers")
    # As in CDK's function, the last files may have no markers.
    for bucket, key, markers in zip_longest(*(properties[name] for name in names), fillvalue={}):
        archive = zipfile.ZipFile(io.BytesIO(storage("GET", f"{bucket}/{key}")))
        for name in archive.namelist():
            # Every file is text.
            text = archive.read(name).decode()
            for marker, value in markers.items():
                text = text.replace(marker, value)
            path = f"{properties['DestinationBucketName']}/{name}"
            storage("PUT", path, text.encode(), properties["SystemMetadata"])


def empty(properties):
    bucket = properties["DestinationBucketName"]
    for key in re.findall("<Key>([^<]+)</Key>", storage("GET", f"{bucket}?list-type=2").decode()):
        storage("DELETE", f"{bucket}/{key}")


def storage(method, path, body=None, headers={}):
    """S3 of the emulator, which asks for no signature."""
    return send(method, f"{os.environ['AWS_ENDPOINT_URL']}/{path}", body, headers)


def send(method, url, body=None, headers={}):
    with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method)) as response:
        return response.read()
