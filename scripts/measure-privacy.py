#!/usr/bin/env python3
"""Creates labelled texts from snapshots of public repositories, and runs the measurement of
docs/privacy.md on them.

    scripts/measure-privacy.py SET REPOSITORY

REPOSITORY is a git directory of the repository that SET names:

    presidio       github.com/microsoft/presidio-research, MIT licence,
                   commit 7622dec1e5f7d25dc60b57c28c39f4c4af197018: data/synth_dataset_v2.json
    presidio-old   the same, an older version of the generator: tests/data/generated_large.json
    presidio-small the same: tests/data/generated_small.json
    nano           github.com/Nannigalaxy/PII-synthetic_dataset, MIT licence,
                   commit e776265d92426ab9ef11f7bea3b9989addc39b63

    tweets-dev     github.com/leondz/emerging_entities_17, CC BY 4.0,
                   commit e52a2d2a71ac1a051ca2d532eef28653c5c02603: emerging.dev.conll, persons alone
    tweets         the same: emerging.test.annotated

None of it is part of this repository. The detectors were tuned on presidio-old, presidio-small, nano, tweets-dev and texts of our
own.
"""
import json
import subprocess
import sys
import tempfile

# The names of our classes in the sets. None is neither right nor wrong: personal data of several
# classes, or of a class that we do not have.
LABELS = {
    'PERSON': 'person', 'STREET_ADDRESS': 'address', 'ADDRESS': 'address', 'CREDIT_CARD': 'payment-card',
    'PHONE_NUMBER': 'phone', 'EMAIL_ADDRESS': 'email', 'IBAN_CODE': 'iban', 'US_SSN': 'national-id',
    'IP_ADDRESS': 'ip-address', 'US_DRIVER_LICENSE': 'driving-licence',
    'GPE': '', 'LOCATION': '', 'ZIP_CODE': '', 'DATE_TIME': '', 'TITLE': '', 'PREFIX': '',
    'SSN': 'national-id', 'AADHAR': 'national-id', 'PAN': 'national-id', 'TAXID': 'national-id', 'TAX_ID': 'national-id',
    'EMAIL': 'email', 'IBAN': 'iban', 'PHONE': 'phone', 'PASSPORT': 'passport', 'PASSPORT_NUM': 'passport',
    'DRIVERS_LICENSE': 'driving-licence', 'DRIVER_LICENSE': 'driving-licence', 'DRIVER_LICENSE_NUM': 'driving-licence',
    'ACCOUNT': 'account-number', 'ACCOUNT_NUM': 'account-number', 'ACCOUNT_NUMBER': 'account-number',
    'BANK_ACCOUNT': 'account-number', 'BANK_ACCOUNT_NUM': 'account-number', 'ROUTING_NUMBER': 'account-number',
    'PATIENT_ID': 'health-id', 'INSURANCE_ID': 'health-id', 'INSURANCE_POLICY_NUM': 'health-id', 'MEDICAL_RECORD': 'health-id',
    'PASSWORD': '', 'VOTER_ID': '', 'EMPLOYEE_ID': '', 'USERID': '', 'USER_ID': '', 'PID': '', 'LICENSE': '', 'POLICE_ID_NUM': '',
}


def show(repository, path):
    return json.loads(subprocess.check_output(['git', '-C', repository, 'show', 'HEAD:' + path]))


def span(text, label, start, end):
    if label not in LABELS:
        return None
    return {'class': LABELS[label], 'start': len(text[:start].encode()), 'end': len(text[:end].encode())}


def presidio(repository, path):
    for x in show(repository, path):
        text = x['full_text']
        yield text, [(s['entity_type'], s['start_position'], s['end_position']) for s in x['spans']]


def nano(repository):
    for x in show(repository, 'dataset/pii_syn_nano_en.json'):
        text, spans = x['text'], []
        for entity in x['NER']:
            start = text.find(entity.get('entity') or '\0')
            if start >= 0:
                spans.append((entity['label'], start, start + len(entity['entity'])))
        yield text, spans


def conll(repository, path):
    # A word and its label per line, and an empty line between texts.
    listing = subprocess.check_output(['git', '-C', repository, 'show', 'HEAD:' + path]).decode()
    for block in listing.split('\n\n'):
        text, spans = '', []
        for line in block.split('\n'):
            if '\t' not in line:
                continue
            word, label = line.split('\t')[:2]
            label = label.split(',')[0]
            start = len(text) + 1 if text and word[0] not in '.,!?;:' else len(text)
            text = text.ljust(start) + word
            if label == 'B-person':
                spans.append(('PERSON', start, len(text)))
            elif label == 'I-person' and spans:
                spans[-1] = ('PERSON', spans[-1][1], len(text))
        yield text, spans


SETS = {
    'tweets-dev': lambda r: conll(r, 'emerging.dev.conll'),
    'tweets': lambda r: conll(r, 'emerging.test.annotated'),
    'presidio': lambda r: presidio(r, 'data/synth_dataset_v2.json'),
    'presidio-small': lambda r: presidio(r, 'tests/data/generated_small.json'),
    'presidio-old': lambda r: presidio(r, 'tests/data/generated_large.json'),
    'nano': nano,
}


def main():
    name, repository = sys.argv[1:3]
    with tempfile.NamedTemporaryFile('w', suffix='.jsonl') as out:
        for text, spans in SETS[name](repository):
            spans = [s for s in (span(text, *one) for one in spans) if s]
            out.write(json.dumps({'text': text, 'spans': spans}) + '\n')
        out.flush()
        subprocess.run(['go', 'test', './pkg/privacy', '-count=1', '-v', '-run', 'TestLabelled', '-labelled', out.name] + sys.argv[3:], check=True)


main()
