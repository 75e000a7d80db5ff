"""Starts ministack, an emulator of AWS, with buckets that CloudFormation handles as on AWS.

Without these two changes ministack creates a bucket without its tags, and deletes a bucket that has files. CDK's
functions read the tags, and a stack cannot be deleted on AWS while its bucket has files.
"""

from ministack.app import main
from ministack.services import s3
from ministack.services.cloudformation import provisioners

bucket = provisioners._RESOURCE_HANDLERS["AWS::S3::Bucket"]
create_untagged = bucket["create"]
delete_with_files = bucket["delete"]


def create(logical_id, properties, stack_name):
    name, attributes = create_untagged(logical_id, properties, stack_name)
    s3._bucket_tags[name] = {tag["Key"]: tag["Value"] for tag in properties.get("Tags", [])}
    return name, attributes


def delete(name, properties):
    if s3._buckets.get(name, {}).get("objects"):
        raise ValueError(f"The bucket you tried to delete is not empty: {name}")
    delete_with_files(name, properties)


bucket.update(create=create, delete=delete)

main()
