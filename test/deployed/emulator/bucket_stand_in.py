"""Stands in on the emulator for CDK's function of a BucketDeployment, with the same properties.

It uploads files to a bucket, and removes them before the bucket is deleted. CDK's function uses the AWS CLI and boto3,
which the emulator does not have. So the tests do not cover that function, nor the content types that the AWS CLI
guesses from the names of files.
"""

import io
import json
import os
import re
import urllib.request
import zipfile
from itertools import zip_longest


def handler(event, _context):
    """Handles an event of a CloudFormation custom resource, and sends the outcome to its response URL."""
    try:
        if event["RequestType"] == "Delete":
            empty_bucket(event["ResourceProperties"])
        else:
            upload_files(event["ResourceProperties"])
        outcome = {"Status": "SUCCESS"}
    except Exception as error:
        outcome = {"Status": "FAILED", "Reason": str(error)}
    body = {**event, "PhysicalResourceId": event["LogicalResourceId"], **outcome}
    send_request("PUT", event["ResponseURL"], json.dumps(body).encode())


def upload_files(properties):
    """Uploads the files of each source archive. Markers in their texts are replaced by values."""
    buckets = properties["SourceBucketNames"]
    keys = properties["SourceObjectKeys"]
    # The list of markers may be shorter, or missing: archives without values have none.
    markers_of_archives = properties.get("SourceMarkers", [])
    for bucket, key, markers in zip_longest(buckets, keys, markers_of_archives, fillvalue={}):
        content = send_storage_request("GET", f"{bucket}/{key}")
        archive = zipfile.ZipFile(io.BytesIO(content))
        for name in archive.namelist():
            # Every file is text.
            text = archive.read(name).decode()
            for marker, value in markers.items():
                text = text.replace(marker, value)
            path = f"{properties['DestinationBucketName']}/{name}"
            send_storage_request("PUT", path, text.encode(), properties["SystemMetadata"])


def empty_bucket(properties):
    """Deletes all files of the bucket."""
    bucket = properties["DestinationBucketName"]
    listing = send_storage_request("GET", f"{bucket}?list-type=2").decode()
    for key in re.findall("<Key>([^<]+)</Key>", listing):
        send_storage_request("DELETE", f"{bucket}/{key}")


def send_storage_request(method, path, body=None, headers={}):
    """Sends a request to S3 of the emulator, which requires no signature."""
    endpoint = os.environ["AWS_ENDPOINT_URL"]
    return send_request(method, f"{endpoint}/{path}", body, headers)


def send_request(method, url, body=None, headers={}):
    request = urllib.request.Request(url, body, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return response.read()
